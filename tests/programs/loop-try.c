// Loops of tries wait until what they try changes: they end, in few runs; if nobody lets go, that is a spin.
// EXPECT(sc -DTRYLOCK): safe
// EXPECT(sc -DTIMEDLOCK): safe
// EXPECT(sc -DSPIN): safe
// EXPECT(sc -DREAD): safe
// EXPECT(sc -DWRITE): safe
// EXPECT(sc -DSEM): safe
// EXPECT(sc -DSEM_TIMED): safe
// EXPECT(sc -DVALUE): safe
// EXPECT(sc -DJOIN): safe
// EXPECT(tso -DTRYLOCK): safe
// EXPECT(sc -DTRYLOCK -O2): safe
// EXPECT(sc -DTRYLOCK -DNEVER): spin
// EXPECT(sc -DSEM -DNEVER): spin
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>
#include <sched.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;
static int count;
static const struct timespec until = {1000000001, 0};

static void *holder(void *_)
{
    pthread_mutex_lock(&m);
    pthread_rwlock_wrlock(&rw);
    pthread_spin_lock(&spin);
    count++;
    pthread_spin_unlock(&spin);
    pthread_rwlock_unlock(&rw);
#ifndef NEVER
    sem_post(&sem);
    pthread_mutex_unlock(&m);
#endif
    return NULL;
}

static void *tries(void *_)
{
#ifdef TRYLOCK
    while (pthread_mutex_trylock(&m) == EBUSY)
        sched_yield();
    count++;
    pthread_mutex_unlock(&m);
#elif defined TIMEDLOCK
    while (pthread_mutex_timedlock(&m, &until) == ETIMEDOUT)
        ;
    count++;
    pthread_mutex_unlock(&m);
#elif defined SPIN
    while (pthread_spin_trylock(&spin) == EBUSY)
        ;
    count++;
    pthread_spin_unlock(&spin);
#elif defined READ
    while (pthread_rwlock_tryrdlock(&rw))
        ;
    pthread_rwlock_unlock(&rw);
#elif defined WRITE
    while (pthread_rwlock_timedwrlock(&rw, &until))
        ;
    count++;
    pthread_rwlock_unlock(&rw);
#elif defined SEM
    while (sem_trywait(&sem))
        sched_yield();
    count++;
#elif defined SEM_TIMED
    while (sem_timedwait(&sem, &until) && errno == ETIMEDOUT)
        ;
    count++;
#elif defined VALUE
    int value;

    do
        sem_getvalue(&sem, &value);
    while (value == 0);
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_spin_init(&spin, 0);
    sem_init(&sem, 0, 0);
    pthread_create(&a, NULL, holder, NULL);
    pthread_create(&b, NULL, tries, NULL);
#ifdef JOIN
    while (pthread_tryjoin_np(a, NULL) == EBUSY)
        sched_yield();
#else
    pthread_join(a, NULL);
#endif
    pthread_join(b, NULL);
    assert(count >= 1);
    return 0;
}
