#include "runtime/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>

#include "runtime/calls.h"
#include "runtime/hooks.h"

static long fail(int error)
{
    errno = error;
    return -1;
}

/* An operation on the word's lock, or on its queue: the model tells objects at one address apart by their kind. */
static uint64_t word_ask(enum op_kind kind, const void *word)
{
    struct op op = calls_op(kind, word, false);

    op.mutex = op_infos[kind].object == OBJECT_COND ? op.addr : 0;
    op.variant = MUTEX_NORMAL;
    return calls_ask(&op, 0);
}

/* `until` NULL: without end. */
static long futex_wait(const uint32_t *word, uint32_t expected, clockid_t clock,
                       const struct timespec *until)
{
    uint64_t result;
    uint32_t value;

    if (until && !time_is_valid(until))
        return fail(EINVAL);
    word_ask(OP_MUTEX_LOCK, word);
    value = __raddle_load4(word, ORDER_SEQ_CST, native_site());
    if (value != expected) {
        word_ask(OP_MUTEX_UNLOCK, word);
        return fail(EAGAIN);
    }
    result = word_ask(until ? OP_COND_TIMEDWAIT : OP_COND_WAIT, word);
    word_ask(OP_MUTEX_UNLOCK, word);
    return result & WAIT_TIMED_OUT ? fail(time_out(clock, until)) : 0;
}

static long futex_wake(const uint32_t *word, uint32_t most)
{
    long woken = 0;

    word_ask(OP_MUTEX_LOCK, word);
    if (most >= INT_MAX)
        woken = (long)word_ask(OP_COND_BROADCAST, word);
    else
        while (woken < (long)most && word_ask(OP_COND_SIGNAL, word))
            woken++;
    word_ask(OP_MUTEX_UNLOCK, word);
    return woken;
}

/* `time`: how long on the monotonic clock, or with FUTEX_WAIT_BITSET until when. */
static long futex_sleep(const long *a)
{
    const struct timespec *time = (const struct timespec *)a[3];
    bool absolute = (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
    clockid_t clock = a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    struct timespec until;

    if (!time || absolute)
        return futex_wait((const uint32_t *)a[0], (uint32_t)a[2], clock, time);
    if (!time_is_valid(time) || clock_gettime(clock, &until))
        return fail(EINVAL);
    until.tv_sec += time->tv_sec + (until.tv_nsec + time->tv_nsec) / 1000000000;
    until.tv_nsec = (until.tv_nsec + time->tv_nsec) % 1000000000;
    return futex_wait((const uint32_t *)a[0], (uint32_t)a[2], clock, &until);
}

long futex_call(const long *a)
{
    bool any = (uint32_t)a[5] == FUTEX_BITSET_MATCH_ANY;

    if (a[0] % (long)sizeof(uint32_t))
        return fail(EINVAL);
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT_BITSET:
        if (!any)
            break;
        return futex_sleep(a);
    case FUTEX_WAIT:
        return futex_sleep(a);
    case FUTEX_WAKE_BITSET:
        if (!any)
            break;
        return futex_wake((const uint32_t *)a[0], (uint32_t)a[2]);
    case FUTEX_WAKE:
        return futex_wake((const uint32_t *)a[0], (uint32_t)a[2]);
    }
    native_unsupported("futex other than to wait and to wake");
    return fail(ENOSYS);
}
