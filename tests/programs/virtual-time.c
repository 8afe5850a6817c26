// Time is each thread's own, but not earlier than what happened before: a thread that is joined, a lock that was handed over. Nothing
// else orders the clocks of threads.
// EXPECT(all): safe
// EXPECT(sc -DUNORDERED): assertion at=unordered
// EXPECT(sc -DDEADLINE): safe
#include "common.h"
#include <errno.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static double done;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *sleeps(void *_)
{
    sleep(5);
    pthread_mutex_lock(&m);
    done = now();
    pthread_mutex_unlock(&m);
    sleep(10);
    return NULL;
}

static void *looks(void *_)
{
    pthread_mutex_lock(&m);
    if (done > 0)
        assert(now() > done);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *waits(void *_)
{
    struct timespec until, after;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 3;
    pthread_mutex_lock(&m);
    if (pthread_cond_timedwait(&c, &m, &until) == ETIMEDOUT) {
        clock_gettime(CLOCK_REALTIME, &after);
        assert(after.tv_sec > until.tv_sec ||
               (after.tv_sec == until.tv_sec && after.tv_nsec >= until.tv_nsec));
    }
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    double start = now();

    pthread_create(&a, NULL, sleeps, NULL);
#ifdef DEADLINE
    pthread_create(&b, NULL, waits, NULL);
    (void)looks;
#else
    pthread_create(&b, NULL, looks, NULL);
    (void)waits;
#endif
    pthread_join(b, NULL);
#ifdef UNORDERED
    assert(now() > start + 5); /* unordered */
#endif
    pthread_join(a, NULL);
    assert(now() >= start + 15);
    return 0;
}
