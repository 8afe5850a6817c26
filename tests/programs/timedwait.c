// A timed wait and a signal under the mutex. The setter first: no wait. Else the waiter waits, and: the timeout and
// the relock come before the setter's lock; or the timeout before the signal, and the relock after; or the signal first.
// EXPECT: safe executions=4
// EXPECT(sc -DALWAYS_WOKEN): assertion
// EXPECT(sc -DNEVER_WOKEN): assertion
// EXPECT(sc -DC11): safe executions=4
#include "common.h"
#include <errno.h>
#include <threads.h>
#include <time.h>

static atomic_int ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static int wait_a_while(void)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
#ifdef C11
    return cnd_timedwait((cnd_t *)&c, (mtx_t *)&m, &until) == thrd_timedout ? ETIMEDOUT : 0;
#else
    return pthread_cond_timedwait(&c, &m, &until);
#endif
}

static void *waiter(void *_)
{
    int result = 0;

    pthread_mutex_lock(&m);
    if (!load(ready)) {
        result = wait_a_while();
        assert(result == 0 || result == ETIMEDOUT);
        assert(result == ETIMEDOUT || load(ready));
#ifdef ALWAYS_WOKEN
        assert(result == 0);
#endif
#ifdef NEVER_WOKEN
        assert(result == ETIMEDOUT);
#endif
    }
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *setter(void *_)
{
    pthread_mutex_lock(&m);
    store(ready, 1);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    run2(waiter, setter);
    return 0;
}
