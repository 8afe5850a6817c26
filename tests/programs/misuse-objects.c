// The same for conditions, reader-writer locks, spinlocks, semaphores and barriers.
// OPTIONS: --races=ignore
// EXPECT(sc -DCOND_DESTROYED): misuse says=condition is used after
// EXPECT(sc -DCOND_BUSY): misuse says=condition is destroyed while a thread waits
// EXPECT(sc -DCOND_MADE): misuse says=condition is initialised while a thread waits
// EXPECT(sc -DCOND_MUTEXES): misuse says=different mutexes
// EXPECT(sc -DCOND_RAW): misuse says=condition is used that was never
// EXPECT(sc -DRW_DESTROYED): misuse says=reader-writer lock is used after
// EXPECT(sc -DRW_BUSY): misuse says=reader-writer lock is destroyed while
// EXPECT(sc -DRW_NOT_MINE): misuse says=unlocks a reader-writer lock that it does not hold
// EXPECT(sc -DSPIN_RAW): misuse says=spinlock is used that was never
// EXPECT(sc -DSPIN_BUSY): misuse says=spinlock is destroyed while
// EXPECT(sc -DSEM_RAW): misuse says=semaphore is used that was never
// EXPECT(sc -DSEM_DESTROYED): misuse says=semaphore is used after
// EXPECT(sc -DBARRIER_RAW): misuse says=barrier is used that was never
// EXPECT(sc -DBARRIER_BUSY): misuse says=barrier is
// EXPECT(sc -DCONSTRUCTED): safe
// EXPECT(sc -DCORRECT): safe
#include "common.h"
#include <semaphore.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;
static pthread_barrier_t barrier;
static atomic_int there;

#ifdef CONSTRUCTED
static __attribute__((constructor)) void early(void)
{
    sem_init(&sem, 0, 2);
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, NULL, 1);
}
#endif

static void *waiter(void *_)
{
    pthread_mutex_lock(&m);
    store(there, 1);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *waiter2(void *_)
{
    pthread_mutex_lock(&m2);
    pthread_cond_wait(&c, &m2);
    pthread_mutex_unlock(&m2);
    return NULL;
}

static void *reader(void *_)
{
    pthread_rwlock_rdlock(&rw);
    store(there, 1);
#ifndef RW_NOT_MINE
    pthread_rwlock_unlock(&rw);
#endif
    return NULL;
}

static void *arriving(void *_)
{
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void *waiting(void *_)
{
    sem_wait(&sem);
    return NULL;
}

static pthread_t start(void *(*routine)(void *))
{
    pthread_t thread;

    assert(pthread_create(&thread, NULL, routine, NULL) == 0);
    return thread;
}

static void body(void)
{
#ifdef COND_DESTROYED
    pthread_cond_destroy(&c);
    pthread_cond_signal(&c); /* wrong */
#elif defined COND_BUSY || defined COND_MADE
    start(waiter);
    pthread_mutex_lock(&m);
    if (load(there))
#ifdef COND_BUSY
        pthread_cond_destroy(&c); /* wrong */
#else
        pthread_cond_init(&c, NULL); /* wrong */
#endif
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    exit(0);
#elif defined COND_MUTEXES
    start(waiter);
    start(waiter2);
    exit(0);
#elif defined COND_RAW
    memset(&c, 0x11, sizeof c);
    pthread_cond_signal(&c); /* wrong */
#elif defined RW_DESTROYED
    pthread_rwlock_destroy(&rw);
    pthread_rwlock_rdlock(&rw); /* wrong */
#elif defined RW_BUSY
    pthread_t t = start(reader);
    if (load(there))
        pthread_rwlock_destroy(&rw); /* wrong */
    pthread_join(t, NULL);
#elif defined RW_NOT_MINE
    pthread_join(start(reader), NULL);
    pthread_rwlock_unlock(&rw); /* wrong */
#elif defined SPIN_RAW
    pthread_spin_lock(&spin); /* wrong */
#elif defined SPIN_BUSY
    pthread_spin_init(&spin, 0);
    pthread_spin_lock(&spin);
    pthread_spin_destroy(&spin); /* wrong */
#elif defined SEM_RAW
    sem_post(&sem); /* wrong */
#elif defined SEM_DESTROYED
    sem_init(&sem, 0, 0);
    start(waiting);
    sem_destroy(&sem);
    exit(0);
#elif defined BARRIER_RAW
    pthread_barrier_wait(&barrier); /* wrong */
#elif defined BARRIER_BUSY
    pthread_barrier_init(&barrier, NULL, 2);
    start(arriving);
    pthread_barrier_destroy(&barrier); /* wrong */
    exit(0);
#elif defined CONSTRUCTED
    int value;
    assert(sem_getvalue(&sem, &value) == 0 && value == 2);
    assert(sem_wait(&sem) == 0);
    assert(pthread_spin_trylock(&spin) == 0);
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
#else
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t t = start(arriving);
    pthread_barrier_wait(&barrier);
    pthread_barrier_destroy(&barrier); /* nobody waits any more, even if not all have left */
    pthread_join(t, NULL);
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_destroy(&rw);
    pthread_spin_init(&spin, 0);
    pthread_spin_destroy(&spin);
    sem_init(&sem, 0, 1);
    pthread_join(start(waiting), NULL);
    sem_destroy(&sem);
    pthread_cond_destroy(&c);
#endif
}

int main(void)
{
    (void)waiter, (void)waiter2, (void)reader, (void)arriving, (void)waiting, (void)start;
    body();
    return 0;
}
