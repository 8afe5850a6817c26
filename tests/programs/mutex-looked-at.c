// Whoever looks at a mutex that another thread has, other than by waiting for it, must be found between the lock and the unlock; each case looks in another way.
// OPTIONS: --races=ignore
// EXPECT(all -DTRY): assertion at=tries
// EXPECT(all -DTIMED): assertion at=waits
// EXPECT(all -DDESTROY): misuse says=destroy
// EXPECT(all -DOTHER): misuse says=does not hold
// EXPECT(all -DSECTION): misuse says=inside an atomic section
// EXPECT(all -DCLOCK): assertion at=late
// EXPECT(all -DJOINED): safe executions=2
// EXPECT(all): safe executions=2
#include "common.h"
#include <raddle.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *locks(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&mutex);
#ifdef CLOCK
    nanosleep(&(struct timespec){5, 0}, NULL);
#endif
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *looks(void *argument)
{
    (void)argument;
#if defined TRY
    assert(pthread_mutex_trylock(&mutex) == 0); /* tries */
    pthread_mutex_unlock(&mutex);
#elif defined TIMED
    assert(pthread_mutex_timedlock(&mutex, &(struct timespec){0}) == 0); /* waits */
    pthread_mutex_unlock(&mutex);
#elif defined DESTROY
    pthread_mutex_destroy(&mutex);
#elif defined OTHER
    pthread_mutex_unlock(&mutex);
#elif defined SECTION
    raddle_atomic_begin();
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    raddle_atomic_end();
#elif defined CLOCK
    struct timespec before, after;

    clock_gettime(CLOCK_MONOTONIC, &before);
    pthread_mutex_lock(&mutex);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec - before.tv_sec < 5); /* late */
    pthread_mutex_unlock(&mutex);
#else
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
#endif
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, locks, NULL);
    pthread_create(&second, NULL, looks, NULL);
#ifdef JOINED
    pthread_mutex_lock(&other); /* held while it waits: which thread's last step comes to the unlock depends on the order */
#endif
    pthread_join(first, NULL);
    pthread_join(second, NULL);
#ifdef JOINED
    pthread_mutex_unlock(&other);
#endif
    return 0;
}
