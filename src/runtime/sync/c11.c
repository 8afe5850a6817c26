#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <threads.h>

#include "runtime/sync/calls.h"

/* C11 threads: POSIX threads by other names. */

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

    if (pthread_join(handle, returned ? &value : NULL) != 0)
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

static int thrd_result(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case ENOMEM:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

INTERPOSE int mtx_init(mtx_t *mutex, int type)
{
    pthread_mutex_t *m = (pthread_mutex_t *)mutex;

    calls_init(OP_MUTEX_INIT, m, 0);
    memset(mutex, 0, sizeof *mutex);
    m->__data.__kind = type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL;
    calls_mark(OBJECT_MUTEX, m);
    return thrd_success;
}

/* C11 asks only that nobody waits for it: who holds it may destroy it. */
INTERPOSE void mtx_destroy(mtx_t *mutex)
{
    while (native.current && mutex_is_own((pthread_mutex_t *)mutex))
        pthread_mutex_unlock((pthread_mutex_t *)mutex);
    pthread_mutex_destroy((pthread_mutex_t *)mutex);
}

INTERPOSE int mtx_lock(mtx_t *mutex)
{
    return thrd_result(pthread_mutex_lock((pthread_mutex_t *)mutex));
}

INTERPOSE int mtx_trylock(mtx_t *mutex)
{
    return thrd_result(pthread_mutex_trylock((pthread_mutex_t *)mutex));
}

INTERPOSE int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
    return thrd_result(pthread_mutex_timedlock((pthread_mutex_t *)mutex, until));
}

INTERPOSE int mtx_unlock(mtx_t *mutex)
{
    return thrd_result(pthread_mutex_unlock((pthread_mutex_t *)mutex));
}

INTERPOSE int cnd_init(cnd_t *cond)
{
    return thrd_result(pthread_cond_init((pthread_cond_t *)cond, NULL));
}

INTERPOSE void cnd_destroy(cnd_t *cond)
{
    pthread_cond_destroy((pthread_cond_t *)cond);
}

INTERPOSE int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    return thrd_result(pthread_cond_wait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex));
}

INTERPOSE int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *until)
{
    return thrd_result(
        pthread_cond_timedwait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, until));
}

INTERPOSE int cnd_signal(cnd_t *cond)
{
    return thrd_result(pthread_cond_signal((pthread_cond_t *)cond));
}

INTERPOSE int cnd_broadcast(cnd_t *cond)
{
    return thrd_result(pthread_cond_broadcast((pthread_cond_t *)cond));
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
