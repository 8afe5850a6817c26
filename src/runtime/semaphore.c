#include <errno.h>
#include <limits.h>
#include <semaphore.h>

#include "runtime/calls.h"

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
    return calls_ask(&op, 1);
}

INTERPOSE int sem_init(sem_t *sem, int shared, unsigned value)
{
    (void)shared;
    if (value > SEM_VALUE_MAX)
        return fail(EINVAL);
    calls_init(OP_SEM_INIT, sem, value);
    return 0;
}

INTERPOSE int sem_destroy(sem_t *sem)
{
    sem_ask(OP_SEM_DESTROY, sem);
    return 0;
}

INTERPOSE int sem_wait(sem_t *sem)
{
    sem_ask(OP_SEM_WAIT, sem);
    return 0;
}

INTERPOSE int sem_trywait(sem_t *sem)
{
    return sem_ask(OP_SEM_TRYWAIT, sem) ? 0 : fail(EAGAIN);
}

INTERPOSE int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
    if (!time_can_wait(clock) || !time_is_valid(until))
        return fail(EINVAL);
    if (sem_ask(OP_SEM_TRYWAIT, sem))
        return 0;
    return fail(time_out(clock, until));
}

INTERPOSE int sem_timedwait(sem_t *sem, const struct timespec *until)
{
    return sem_clockwait(sem, CLOCK_REALTIME, until);
}

INTERPOSE int sem_getvalue(sem_t *sem, int *value)
{
    *value = (int)sem_ask(OP_SEM_VALUE, sem);
    return 0;
}

INTERPOSE int sem_post(sem_t *sem)
{
    return sem_ask(OP_SEM_POST, sem) ? 0 : fail(EOVERFLOW);
}
