#include <errno.h>
#include <string.h>

#include "runtime/signals/signals.h"
#include "runtime/sync/calls.h"

/* Conditions. The memory of one holds the clock of its timed waits and nothing else. */

/* As glibc has it in __wrefs. */
#define COND_CLOCK_MONOTONIC 2u

static void cond_mark(pthread_cond_t *cond)
{
    calls_writes(OBJECT_COND, cond);
    memset(cond, 0xdd, sizeof *cond);
}

static struct op cond_op(enum op_kind kind, pthread_cond_t *cond)
{
    pthread_cond_t copy = *cond;
    bool fresh;

    calls_unmark(OBJECT_COND, &copy);
    fresh = calls_is_zero(&copy, sizeof copy);
    if (fresh)
        calls_revive(OP_COND_INIT, cond);
    return calls_op(kind, cond, !fresh);
}

INTERPOSE int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
    clockid_t clock = CLOCK_REALTIME;

    if (attributes)
        pthread_condattr_getclock(attributes, &clock);
    calls_init(OP_COND_INIT, cond, 0);
    memset(cond, 0, sizeof *cond);
    if (clock == CLOCK_MONOTONIC)
        cond->__data.__wrefs = COND_CLOCK_MONOTONIC;
    calls_mark(OBJECT_COND, cond);
    return 0;
}

INTERPOSE int pthread_cond_destroy(pthread_cond_t *cond)
{
    struct op op = cond_op(OP_COND_DESTROY, cond);

    calls_ask(&op, 0);
    cond_mark(cond);
    return 0;
}

/* The mutex is held again, or was not to be had. */
static int wait_error(pthread_mutex_t *mutex, uint64_t result)
{
    mutex_note_robust(mutex);
    if (result & WAIT_LOST)
        return ENOTRECOVERABLE;
    return result & WAIT_FROM_DEAD ? EOWNERDEAD : 0;
}

/* Such a mutex tells who waits without holding it. With others that is undefined, and the model says so. */
static bool wait_is_refused(const pthread_mutex_t *mutex)
{
    return native.current && mutex_tells_owner(mutex) && !mutex_is_own(mutex);
}

static uint64_t wait_ask(enum op_kind kind, pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    struct op op;
    uint64_t result;

    native_cancel_point();
    op = cond_op(kind, cond);
    op.mutex = (uint64_t)(uintptr_t)mutex;
    op.variant = mutex_kind(mutex);
    if (native_cancellable())
        op.expect = 1u << WAIT_END_CANCEL;
    if (native.current && spin_has_written())
        op.expect |= WAIT_HAS_WRITTEN;
    if (native.current && kind == OP_COND_TIMEDWAIT)
        op.value = (uint64_t)(uintptr_t)spin_before_wait(native_site(), mutex);
    result = calls_ask(&op, 0);
    if (result & WAIT_CANCELLED) { /* with the mutex */
        mutex_note_robust(mutex);
        native_unwind(PTHREAD_CANCELED);
    }
    return result;
}

INTERPOSE int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    if (wait_is_refused(mutex))
        return EPERM;
    return wait_error(mutex, wait_ask(OP_COND_WAIT, cond, mutex));
}

INTERPOSE int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                     const struct timespec *until)
{
    uint64_t result;
    int error;

    if (!time_can_wait(clock) || !time_is_valid(until))
        return EINVAL;
    if (wait_is_refused(mutex))
        return EPERM;
    result = wait_ask(OP_COND_TIMEDWAIT, cond, mutex);
    error = wait_error(mutex, result);
    if (!(result & WAIT_TIMED_OUT))
        return error;
    time_out(clock, until);
    return error ? error : ETIMEDOUT;
}

INTERPOSE int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                     const struct timespec *until)
{
    bool monotonic = cond->__data.__wrefs & COND_CLOCK_MONOTONIC;

    return pthread_cond_clockwait(cond, mutex, monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, until);
}

static int wake(enum op_kind kind, pthread_cond_t *cond)
{
    struct op op = cond_op(kind, cond);

    if (native.current && (native.session->cancels || signals_sent))
        op.variant = OBJECT_STRICT;
    calls_ask(&op, 0);
    return 0;
}

INTERPOSE int pthread_cond_signal(pthread_cond_t *cond)
{
    return wake(OP_COND_SIGNAL, cond);
}

INTERPOSE int pthread_cond_broadcast(pthread_cond_t *cond)
{
    return wake(OP_COND_BROADCAST, cond);
}
