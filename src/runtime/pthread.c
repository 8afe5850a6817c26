#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#include "runtime/native.h"

/* POSIX and C11 threads, as operations for the engine. Outside a program thread (constructors, the engine) there is
 * nobody to exclude, and calls succeed at once. */

#define INTERPOSE __attribute__((visibility("default")))

static uint64_t ask(enum op_kind kind, const void *addr)
{
    struct op op = native_op(kind, addr);

    return native.current ? (uint64_t)native_ask(&op) : 1;
}

/* ---- threads */

INTERPOSE int pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                             void *(*start)(void *), void *argument)
{
    struct native_thread *thread;
    struct op op;
    int detached = PTHREAD_CREATE_JOINABLE;

    if (!native.current)
        return EAGAIN;
    if (native.session->threads.count >= RUNTIME_THREADS) {
        native_unsupported("so many threads");
        return EAGAIN;
    }
    thread = native_new_thread(start, argument);
    if (attributes)
        pthread_attr_getdetachstate(attributes, &detached);
    thread->detached = detached == PTHREAD_CREATE_DETACHED;
    *handle = native_handle(thread);
    op = native_op(OP_THREAD_CREATE, NULL);
    op.addr = thread->agent;
    native_ask(&op);
    return 0;
}

/* All threads but the caller are through, and their ends happened before now. */
static void thread_joined(struct native_thread *thread)
{
    if (thread->joined)
        return;
    thread->joined = true;
    if (--native.unjoined == 0 && native.current->number == 0)
        native.alone = true;
}

INTERPOSE int pthread_join(pthread_t handle, void **returned)
{
    struct native_thread *thread = native_thread_of(handle);
    struct op op = native_op(OP_THREAD_JOIN, NULL);

    if (!thread || thread->joined)
        return ESRCH;
    if (thread == native.current)
        return EDEADLK;
    if (thread->detached)
        return EINVAL;
    op.addr = thread->agent;
    native_ask(&op);
    thread_joined(thread);
    if (returned)
        *returned = thread->returned;
    return 0;
}

INTERPOSE int pthread_detach(pthread_t handle)
{
    struct native_thread *thread = native_thread_of(handle);

    if (!thread)
        return ESRCH;
    if (thread->detached)
        return EINVAL;
    thread->detached = true;
    return 0;
}

static void run_key_destructors(void)
{
    struct native_thread *thread = native.current;
    bool again = true;

    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && again; round++) {
        again = false;
        for (uint32_t key = 0; key < native.keys; key++) {
            void *value = thread->keys[key];

            if (!value || !native.key_destructors[key])
                continue;
            thread->keys[key] = NULL;
            native.key_destructors[key](value);
            again = true;
        }
    }
}

void native_leave_thread(void *returned)
{
    run_key_destructors();
    native_exit_thread(returned);
}

INTERPOSE __attribute__((noreturn)) void pthread_exit(void *returned)
{
    native_leave_thread(returned);
    __builtin_unreachable();
}

INTERPOSE pthread_t pthread_self(void)
{
    return native.current ? native_handle(native.current) : 0;
}

INTERPOSE int sched_yield(void)
{
    ask(OP_YIELD, NULL);
    return 0;
}

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
    ask(OP_MUTEX_INIT, mutex);
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
    ask(OP_COND_SIGNAL, cond);
    return 0;
}

INTERPOSE int pthread_cond_broadcast(pthread_cond_t *cond)
{
    ask(OP_COND_BROADCAST, cond);
    return 0;
}

/* ---- reader-writer locks */

INTERPOSE int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    memset(lock, 0, sizeof *lock);
    ask(OP_RWLOCK_INIT, lock);
    return 0;
}

INTERPOSE int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    (void)lock;
    return 0;
}

INTERPOSE int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    ask(OP_RWLOCK_RDLOCK, lock);
    return 0;
}

INTERPOSE int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    ask(OP_RWLOCK_WRLOCK, lock);
    return 0;
}

INTERPOSE int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    return ask(OP_RWLOCK_TRYRDLOCK, lock) ? 0 : EBUSY;
}

INTERPOSE int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return ask(OP_RWLOCK_TRYWRLOCK, lock) ? 0 : EBUSY;
}

INTERPOSE int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    (void)until;
    return ask(OP_RWLOCK_TRYRDLOCK, lock) ? 0 : ETIMEDOUT;
}

INTERPOSE int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    (void)until;
    return ask(OP_RWLOCK_TRYWRLOCK, lock) ? 0 : ETIMEDOUT;
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
    ask(OP_RWLOCK_UNLOCK, lock);
    return 0;
}

/* ---- spinlocks, barriers, once */

INTERPOSE int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    (void)shared;
    *lock = 0;
    ask(OP_SPIN_INIT, (const void *)lock);
    return 0;
}

INTERPOSE int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    (void)lock;
    return 0;
}

INTERPOSE int pthread_spin_lock(pthread_spinlock_t *lock)
{
    ask(OP_SPIN_LOCK, (const void *)lock);
    return 0;
}

INTERPOSE int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    return ask(OP_SPIN_TRYLOCK, (const void *)lock) ? 0 : EBUSY;
}

INTERPOSE int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    ask(OP_SPIN_UNLOCK, (const void *)lock);
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
    ask(OP_BARRIER_INIT, barrier);
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
    ask(OP_MUTEX_LOCK, control);
    if (*control == PTHREAD_ONCE_INIT) {
        routine();
        *control = 2;
    }
    ask(OP_MUTEX_UNLOCK, control);
    return 0;
}

/* ---- keys */

INTERPOSE int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    uint32_t new = 0;

    while (new < native.keys && !native.key_free[new])
        new ++;
    if (new == NATIVE_KEYS)
        return EAGAIN;
    for (uint32_t i = 0; i < native.threads.count; i++)
        native.threads.at[i]->keys[new] = NULL; /* what a deleted key of that number left */
    native.key_destructors[new] = destructor;
    native.key_free[new] = false;
    if (new == native.keys)
        native.keys++;
    *key = new;
    return 0;
}

INTERPOSE int pthread_key_delete(pthread_key_t key)
{
    if (key >= native.keys)
        return EINVAL;
    native.key_destructors[key] = NULL;
    native.key_free[key] = true;
    return 0;
}

INTERPOSE int pthread_setspecific(pthread_key_t key, const void *value)
{
    if (key >= native.keys || !native.current)
        return EINVAL;
    native.current->keys[key] = (void *)value;
    return 0;
}

INTERPOSE void *pthread_getspecific(pthread_key_t key)
{
    return key < native.keys && native.current ? native.current->keys[key] : NULL;
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
    ask(OP_SEM_WAIT, sem);
    return 0;
}

INTERPOSE int sem_trywait(sem_t *sem)
{
    if (ask(OP_SEM_TRYWAIT, sem))
        return 0;
    errno = EAGAIN;
    return -1;
}

INTERPOSE int sem_timedwait(sem_t *sem, const struct timespec *until)
{
    (void)until;
    if (ask(OP_SEM_TRYWAIT, sem))
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
    *value = (int)ask(OP_SEM_VALUE, sem);
    return 0;
}

INTERPOSE int sem_post(sem_t *sem)
{
    ask(OP_SEM_POST, sem);
    return 0;
}

/* ---- C11 */

/* A C11 thread returns an int. That is called as if it were a pointer: in the ABIs that we run on, both come back in
 * the same register, and thrd_join takes the low half. */
INTERPOSE int thrd_create(thrd_t *handle, thrd_start_t start, void *argument)
{
    void *(*routine)(void *);

    memcpy(&routine, &start, sizeof routine);
    return pthread_create(handle, NULL, routine, argument) == 0 ? thrd_success : thrd_nomem;
}

INTERPOSE int thrd_join(thrd_t handle, int *returned)
{
    void *value;

    if (pthread_join(handle, &value) != 0)
        return thrd_error;
    if (returned)
        *returned = (int)(intptr_t)value;
    return thrd_success;
}

INTERPOSE int thrd_detach(thrd_t handle)
{
    return pthread_detach(handle) == 0 ? thrd_success : thrd_error;
}

INTERPOSE _Noreturn void thrd_exit(int returned)
{
    pthread_exit((void *)(intptr_t)returned);
}

INTERPOSE thrd_t thrd_current(void)
{
    return pthread_self();
}

INTERPOSE void thrd_yield(void)
{
    sched_yield();
}

INTERPOSE int mtx_init(mtx_t *mutex, int type)
{
    pthread_mutex_t *m = (pthread_mutex_t *)mutex;

    memset(mutex, 0, sizeof *mutex);
    m->__data.__kind = type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL;
    ask(OP_MUTEX_INIT, m);
    return thrd_success;
}

INTERPOSE void mtx_destroy(mtx_t *mutex)
{
    (void)mutex;
}

INTERPOSE int mtx_lock(mtx_t *mutex)
{
    return pthread_mutex_lock((pthread_mutex_t *)mutex) == 0 ? thrd_success : thrd_error;
}

INTERPOSE int mtx_trylock(mtx_t *mutex)
{
    return pthread_mutex_trylock((pthread_mutex_t *)mutex) == 0 ? thrd_success : thrd_busy;
}

INTERPOSE int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
    return pthread_mutex_timedlock((pthread_mutex_t *)mutex, until) == 0 ? thrd_success
                                                                         : thrd_timedout;
}

INTERPOSE int mtx_unlock(mtx_t *mutex)
{
    pthread_mutex_unlock((pthread_mutex_t *)mutex);
    return thrd_success;
}

INTERPOSE int cnd_init(cnd_t *cond)
{
    memset(cond, 0, sizeof *cond);
    return thrd_success;
}

INTERPOSE void cnd_destroy(cnd_t *cond)
{
    (void)cond;
}

INTERPOSE int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    pthread_cond_wait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex);
    return thrd_success;
}

INTERPOSE int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *until)
{
    return pthread_cond_timedwait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, until) == 0
               ? thrd_success
               : thrd_timedout;
}

INTERPOSE int cnd_signal(cnd_t *cond)
{
    pthread_cond_signal((pthread_cond_t *)cond);
    return thrd_success;
}

INTERPOSE int cnd_broadcast(cnd_t *cond)
{
    pthread_cond_broadcast((pthread_cond_t *)cond);
    return thrd_success;
}

INTERPOSE void call_once(once_flag *flag, void (*routine)(void))
{
    pthread_once((pthread_once_t *)flag, routine);
}

INTERPOSE int tss_create(tss_t *key, tss_dtor_t destructor)
{
    return pthread_key_create(key, destructor) == 0 ? thrd_success : thrd_error;
}

INTERPOSE void tss_delete(tss_t key)
{
    pthread_key_delete(key);
}

INTERPOSE int tss_set(tss_t key, void *value)
{
    return pthread_setspecific(key, value) == 0 ? thrd_success : thrd_error;
}

INTERPOSE void *tss_get(tss_t key)
{
    return pthread_getspecific(key);
}

/* ---- not modelled: named in the report, and refused */

#define UNSUPPORTED(name, ...)                                                                     \
    INTERPOSE int name(__VA_ARGS__)                                                                \
    {                                                                                              \
        native_unsupported(#name);                                                                 \
        return ENOSYS;                                                                             \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

UNSUPPORTED(pthread_cancel, pthread_t thread)
UNSUPPORTED(pthread_kill, pthread_t thread, int number)
UNSUPPORTED(pthread_sigqueue, pthread_t thread, int number, const union sigval value)
UNSUPPORTED(pthread_tryjoin_np, pthread_t thread, void **returned)
UNSUPPORTED(pthread_timedjoin_np, pthread_t thread, void **returned, const struct timespec *until)
UNSUPPORTED(pthread_clockjoin_np, pthread_t thread, void **returned, clockid_t clock,
            const struct timespec *until)
UNSUPPORTED(pthread_getname_np, pthread_t thread, char *name, size_t size)
UNSUPPORTED(pthread_getschedparam, pthread_t thread, int *policy, struct sched_param *param)
UNSUPPORTED(pthread_mutex_consistent, pthread_mutex_t *mutex)
UNSUPPORTED(pthread_getcpuclockid, pthread_t thread, clockid_t *clock)
UNSUPPORTED(pthread_getattr_np, pthread_t thread, pthread_attr_t *attributes)
UNSUPPORTED(pthread_setschedprio, pthread_t thread, int priority)
UNSUPPORTED(pthread_getaffinity_np, pthread_t thread, size_t size, cpu_set_t *set)

/* These change nothing that a program can tell. */
INTERPOSE int pthread_setname_np(pthread_t thread, const char *name)
{
    return 0;
}

INTERPOSE int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param)
{
    return 0;
}

INTERPOSE int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
    return 0;
}

INTERPOSE sem_t *sem_open(const char *name, int flags, ...)
{
    native_unsupported("sem_open");
    errno = ENOSYS;
    return SEM_FAILED;
}

#pragma GCC diagnostic pop
