#include <errno.h>
#include <limits.h>
#include <semaphore.h>

#include "runtime/hooks/plain.h"
#include "runtime/signals/signals.h"
#include "runtime/sync/calls.h"

/* Semaphores without a name. */

static int fail(int error)
{
    errno = error;
    return -1;
}

static uint64_t sem_ask(enum op_kind kind, sem_t *sem)
{
    struct op op = calls_op(kind, sem, true);

    op.variant = OBJECT_STRICT;
    if (kind == OP_SEM_TRYWAIT || kind == OP_SEM_VALUE)
        calls_try();
    return calls_ask(&op, 1);
}

INTERPOSE int sem_init(sem_t *sem, int shared, unsigned value)
{
    (void)shared;
    if (value > SEM_VALUE_MAX)
        return fail(EINVAL);
    calls_init(OP_SEM_INIT, sem, value);
    calls_mark(OBJECT_SEM, sem);
    return 0;
}

INTERPOSE int sem_destroy(sem_t *sem)
{
    sem_ask(OP_SEM_DESTROY, sem);
    return 0;
}

static int wait_plainly(sem_t *sem)
{
    struct op op = calls_op(OP_SEM_WAIT, sem, true);

    op.variant = OBJECT_STRICT;
    if (native.current && signals_ask(&op, SIGNALS_RESTARTS) == WAIT_INTERRUPTED)
        return fail(EINTR);
    return 0;
}

static enum native_awaited wait_cancellably(sem_t *sem)
{
    enum native_awaited awaited;

    signals_of(native.current)->call = SIGNALS_RESTARTS;
    awaited = native_cancel_await(OP_SEM_WAIT, OBJECT_SEM, (uint64_t)(uintptr_t)sem, OBJECT_MADE);
    signals_of(native.current)->call = SIGNALS_GOES_ON;
    return awaited;
}

/* A cancellation point: then waiting for a post and for a request are one, and taking it comes after. If both have come, either may count. */
INTERPOSE int sem_wait(sem_t *sem)
{
    if (!native_cancellable())
        return wait_plainly(sem);
    native_cancel_point();
    for (;;) {
        enum native_awaited awaited = wait_cancellably(sem);

        if (awaited == AWAITED_INTERRUPT)
            return fail(EINTR);
        if (sem_ask(OP_SEM_TRYWAIT, sem))
            return 0;
        if (awaited == AWAITED_CANCEL)
            native_unwind(PTHREAD_CANCELED);
    }
}

INTERPOSE int sem_trywait(sem_t *sem)
{
    return sem_ask(OP_SEM_TRYWAIT, sem) ? 0 : fail(EAGAIN);
}

INTERPOSE int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
    enum signals_wake wake;

    if (!time_can_wait(clock) || !time_is_valid(until))
        return fail(EINVAL);
    native_cancel_point();
    calls_wait_until();
    do {
        if (sem_ask(OP_SEM_TRYWAIT, sem))
            return 0;
        native_cancel_point();
        wake = signals_meanwhile(SIGNALS_RESTARTS);
    } while (wake == SIGNALS_AGAIN);
    return fail(wake == SIGNALS_INTERRUPTED ? EINTR : time_out(clock, until));
}

INTERPOSE int sem_timedwait(sem_t *sem, const struct timespec *until)
{
    return sem_clockwait(sem, CLOCK_REALTIME, until);
}

INTERPOSE int sem_getvalue(sem_t *sem, int *value)
{
    int now = (int)sem_ask(OP_SEM_VALUE, sem);

    native_writes(value, sizeof *value);
    *value = now;
    return 0;
}

INTERPOSE int sem_post(sem_t *sem)
{
    return sem_ask(OP_SEM_POST, sem) ? 0 : fail(EOVERFLOW);
}
