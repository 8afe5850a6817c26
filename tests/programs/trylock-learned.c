// What the search learns on its way about a program (that it tries locks, joins, cancels, uses another's stack) must not change how
// steps look that were taken before: the search begins anew, and a deterministic program stays one.
// EXPECT(all): safe
// EXPECT(sc -DSPIN): safe
// EXPECT(sc -DREAD): safe
// EXPECT(sc -DTIMED): safe
// EXPECT(sc -DJOIN): safe
// EXPECT(sc -DCANCEL): safe
// EXPECT(sc -DSTACK): safe
// EXPECT(sc -DALL): safe
#define _GNU_SOURCE
#include "common.h"
#include <time.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER,
                       other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_t nested_thread;
static atomic_int x, y;
static atomic_int *_Atomic shared;

static void *nested(void *_)
{
    atomic_int own = 0;

    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    atomic_store(&shared, &own);
    atomic_store(&y, 1);
    pthread_mutex_lock(&other);
    atomic_store(&own, 2);
    pthread_mutex_unlock(&other);
    pthread_testcancel();
    while (atomic_load(&x) < 2)
        sched_yield();
    return NULL;
}

static void learn(int seen)
{
#if defined SPIN || defined ALL
    if (seen && pthread_spin_trylock(&spin) == 0)
        pthread_spin_unlock(&spin);
#endif
#if defined READ || defined ALL
    if (seen && pthread_rwlock_tryrdlock(&rwlock) == 0)
        pthread_rwlock_unlock(&rwlock);
#endif
#if defined TIMED || defined ALL
    struct timespec until = {0};

    if (seen && pthread_mutex_timedlock(&outer, &until) == 0)
        pthread_mutex_unlock(&outer);
#endif
#ifdef STACK
    if (seen)
        atomic_load(atomic_load(&shared));
#endif
#if defined CANCEL || defined ALL
    if (seen)
        pthread_cancel(nested_thread);
#endif
    if (seen && pthread_mutex_trylock(&other) == 0)
        pthread_mutex_unlock(&other);
}

static void *learner(void *_)
{
    atomic_store(&x, 1);
    learn(atomic_load(&y));
    atomic_store(&x, 2);
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&nested_thread, NULL, nested, NULL);
    pthread_create(&thread, NULL, learner, NULL);
    pthread_join(thread, NULL);
#if defined JOIN || defined ALL
    if (atomic_load(&y) && pthread_tryjoin_np(nested_thread, NULL) == 0)
        return 0;
#endif
    pthread_join(nested_thread, NULL);
    return 0;
}
