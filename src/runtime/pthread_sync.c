#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>

#include "runtime/native.h"

/* What POSIX threads wait for each other with. Outside a program thread (constructors, the engine) there is nobody to exclude, and
 * calls succeed at once. A timed call times out if it has to wait when its turn comes: to wait longer is to have its turn later. */

/* ---- mutexes: the kind is where glibc keeps it, so that static initialisers say it, too */

static uint8_t mutex_kind(const pthread_mutex_t *mutex)
{
    switch (mutex->__data.__kind & 3) {
    case PTHREAD_MUTEX_RECURSIVE:
        return MUTEX_RECURSIVE;
    case PTHREAD_MUTEX_ERRORCHECK:
        return MUTEX_ERRORCHECK;
    default:
        return MUTEX_NORMAL;
    }
}

static uint64_t ask_mutex(enum op_kind kind, pthread_mutex_t *mutex)
{
    struct op op = native_op(kind, mutex);

    op.variant = mutex_kind(mutex);
    return native.current ? (uint64_t)native_ask(&op) : 1;
}

INTERPOSE int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    int kind = PTHREAD_MUTEX_NORMAL;

    if (attributes)
        pthread_mutexattr_gettype(attributes, &kind);
    memset(mutex, 0, sizeof *mutex);
    mutex->__data.__kind = kind;
    native_call(OP_MUTEX_INIT, mutex);
    return 0;
}

INTERPOSE int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

INTERPOSE int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return ask_mutex(OP_MUTEX_LOCK, mutex) ? 0 : EDEADLK;
}

INTERPOSE int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return ask_mutex(OP_MUTEX_TRYLOCK, mutex) ? 0 : EBUSY;
}

/* Times out if the mutex is held when its turn comes: to wait longer is to have its turn later. */
INTERPOSE int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    (void)until;
    return ask_mutex(OP_MUTEX_TRYLOCK, mutex) ? 0 : ETIMEDOUT;
}

INTERPOSE int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                      const struct timespec *until)
{
    (void)clock;
    return pthread_mutex_timedlock(mutex, until);
}

INTERPOSE int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    return ask_mutex(OP_MUTEX_UNLOCK, mutex) ? 0 : EPERM;
}

/* ---- conditions */

INTERPOSE int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
    (void)attributes;
    memset(cond, 0, sizeof *cond);
    return 0;
}

INTERPOSE int pthread_cond_destroy(pthread_cond_t *cond)
{
    (void)cond;
    return 0;
}

static uint64_t ask_wait(enum op_kind kind, pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    struct op op = native_op(kind, cond);

    op.mutex = (uint64_t)(uintptr_t)mutex;
    return native.current ? (uint64_t)native_ask(&op) : 0;
}

INTERPOSE int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    ask_wait(OP_COND_WAIT, cond, mutex);
    return 0;
}

INTERPOSE int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                     const struct timespec *until)
{
    (void)until;
    return ask_wait(OP_COND_TIMEDWAIT, cond, mutex) ? ETIMEDOUT : 0;
}

INTERPOSE int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                     const struct timespec *until)
{
    (void)clock;
    return pthread_cond_timedwait(cond, mutex, until);
}

INTERPOSE int pthread_cond_signal(pthread_cond_t *cond)
{
    native_call(OP_COND_SIGNAL, cond);
    return 0;
}

INTERPOSE int pthread_cond_broadcast(pthread_cond_t *cond)
{
    native_call(OP_COND_BROADCAST, cond);
    return 0;
}

/* ---- reader-writer locks */

INTERPOSE int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    memset(lock, 0, sizeof *lock);
    native_call(OP_RWLOCK_INIT, lock);
    return 0;
}

INTERPOSE int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    (void)lock;
    return 0;
}

INTERPOSE int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    native_call(OP_RWLOCK_RDLOCK, lock);
    return 0;
}

INTERPOSE int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    native_call(OP_RWLOCK_WRLOCK, lock);
    return 0;
}

INTERPOSE int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    return native_call(OP_RWLOCK_TRYRDLOCK, lock) ? 0 : EBUSY;
}

INTERPOSE int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return native_call(OP_RWLOCK_TRYWRLOCK, lock) ? 0 : EBUSY;
}

INTERPOSE int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    (void)until;
    return native_call(OP_RWLOCK_TRYRDLOCK, lock) ? 0 : ETIMEDOUT;
}

INTERPOSE int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    (void)until;
    return native_call(OP_RWLOCK_TRYWRLOCK, lock) ? 0 : ETIMEDOUT;
}

INTERPOSE int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                                         const struct timespec *until)
{
    (void)clock;
    return pthread_rwlock_timedrdlock(lock, until);
}

INTERPOSE int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                                         const struct timespec *until)
{
    (void)clock;
    return pthread_rwlock_timedwrlock(lock, until);
}

INTERPOSE int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    native_call(OP_RWLOCK_UNLOCK, lock);
    return 0;
}

/* ---- spinlocks, barriers, once */

INTERPOSE int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    (void)shared;
    *lock = 0;
    native_call(OP_SPIN_INIT, (const void *)lock);
    return 0;
}

INTERPOSE int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    (void)lock;
    return 0;
}

INTERPOSE int pthread_spin_lock(pthread_spinlock_t *lock)
{
    native_call(OP_SPIN_LOCK, (const void *)lock);
    return 0;
}

INTERPOSE int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    return native_call(OP_SPIN_TRYLOCK, (const void *)lock) ? 0 : EBUSY;
}

INTERPOSE int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    native_call(OP_SPIN_UNLOCK, (const void *)lock);
    return 0;
}

/* The number of threads is kept in the barrier itself. */
INTERPOSE int pthread_barrier_init(pthread_barrier_t *barrier,
                                   const pthread_barrierattr_t *attributes, unsigned count)
{
    (void)attributes;
    if (count == 0)
        return EINVAL;
    memset(barrier, 0, sizeof *barrier);
    memcpy(barrier, &count, sizeof count);
    native_call(OP_BARRIER_INIT, barrier);
    return 0;
}

INTERPOSE int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    (void)barrier;
    return 0;
}

INTERPOSE int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct op op = native_op(OP_BARRIER_WAIT, barrier);
    unsigned count;

    memcpy(&count, barrier, sizeof count);
    op.expect = count;
    return native_ask(&op) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* A mutex of its own orders the callers; *control tells whether it was done. */
INTERPOSE int pthread_once(pthread_once_t *control, void (*routine)(void))
{
    native_call(OP_MUTEX_LOCK, control);
    if (*control == PTHREAD_ONCE_INIT) {
        routine();
        *control = 2;
    }
    native_call(OP_MUTEX_UNLOCK, control);
    return 0;
}

/* ---- semaphores */

INTERPOSE int sem_init(sem_t *sem, int shared, unsigned value)
{
    struct op op = native_op(OP_SEM_INIT, sem);

    (void)shared;
    op.value = value;
    if (native.current)
        native_ask(&op);
    return 0;
}

INTERPOSE int sem_destroy(sem_t *sem)
{
    (void)sem;
    return 0;
}

INTERPOSE int sem_wait(sem_t *sem)
{
    native_call(OP_SEM_WAIT, sem);
    return 0;
}

INTERPOSE int sem_trywait(sem_t *sem)
{
    if (native_call(OP_SEM_TRYWAIT, sem))
        return 0;
    errno = EAGAIN;
    return -1;
}

INTERPOSE int sem_timedwait(sem_t *sem, const struct timespec *until)
{
    (void)until;
    if (native_call(OP_SEM_TRYWAIT, sem))
        return 0;
    errno = ETIMEDOUT;
    return -1;
}

INTERPOSE int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
    (void)clock;
    return sem_timedwait(sem, until);
}

INTERPOSE int sem_getvalue(sem_t *sem, int *value)
{
    *value = (int)native_call(OP_SEM_VALUE, sem);
    return 0;
}

INTERPOSE int sem_post(sem_t *sem)
{
    native_call(OP_SEM_POST, sem);
    return 0;
}
