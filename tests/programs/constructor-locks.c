// What a constructor has taken is taken when main begins.
// EXPECT(all): deadlock at=again
// EXPECT(sc -DRWLOCK): deadlock at=again
// EXPECT(sc -DSEMAPHORE): deadlock at=again
// EXPECT(sc -DSPINLOCK): deadlock at=again
// EXPECT(sc -DRECURSIVE): safe
// EXPECT(sc -DRELEASED): safe executions=2
#define _GNU_SOURCE
#include <semaphore.h>

#include "common.h"

#ifdef RWLOCK
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#define TAKE pthread_rwlock_rdlock(&lock)
#define MORE pthread_rwlock_wrlock(&lock)
#elif defined SEMAPHORE
static sem_t lock;
#define INIT sem_init(&lock, 0, 1)
#define TAKE sem_wait(&lock)
#define MORE sem_wait(&lock)
#elif defined SPINLOCK
static pthread_spinlock_t lock;
#define INIT pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE)
#define TAKE pthread_spin_lock(&lock)
#define MORE pthread_spin_lock(&lock)
#elif defined RECURSIVE
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
#define TAKE pthread_mutex_lock(&lock)
#define MORE (pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock), pthread_mutex_unlock(&lock))
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define TAKE pthread_mutex_lock(&lock)
#define MORE pthread_mutex_lock(&lock)
#endif

static __attribute__((constructor)) void take(void)
{
#ifdef INIT
    INIT;
#endif
    TAKE;
#ifdef RELEASED
    pthread_mutex_unlock(&lock);
#endif
}

#if defined RECURSIVE || defined RELEASED
static void *other(void *_)
{
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    return _;
}
#endif

int main(void)
{
#if defined RECURSIVE || defined RELEASED
    pthread_t thread;

    pthread_create(&thread, NULL, other, NULL);
#endif
    MORE; /* again */
#ifdef RELEASED
    pthread_mutex_unlock(&lock);
#endif
#if defined RECURSIVE || defined RELEASED
    pthread_join(thread, NULL);
#endif
    return 0;
}
