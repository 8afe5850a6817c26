#include "runtime/signals/model.h"

#include <errno.h>
#include <pthread.h>

#include "model/object.h"
#include "raddle.h"
#include "runtime/ending/ending.h"
#include "runtime/program/spin.h"

/* Waiting for signals. */

enum signals_wait signals_waits(uint32_t thread)
{
    return signals.waits[thread];
}

void signals_timer_started(int number)
{
    signals.timers |= signals_bit(number);
}

/* Without a handler it would end the program, as it is meant to if that hangs: then it hangs, timer or not. */
bool signals_timer_is_due(void)
{
    for (int number = 1; number < SIGNALS; number++)
        if (signals.timers & signals_bit(number) && signals.actions[number].sa_handler != SIG_DFL &&
            signals.actions[number].sa_handler != SIG_IGN)
            return true;
    return false;
}

/* What a thread that waits has seen. */
struct seen {
    uint64_t own, process;
};

static struct seen look(void)
{
    return (struct seen){signals_read(&signals_own()->pending),
                         signals_sent ? signals_read(&signals.process) : 0};
}

static void await_cell(struct await *await, const uint64_t *cell, uint64_t value)
{
    await->reads[await->count].addr = (uint64_t)(uintptr_t)cell;
    await->reads[await->count].value = value;
    await->reads[await->count].size = sizeof *cell;
    await->reads[await->count].object = OBJECT_CELL;
    await->count++;
}

static void await_request(struct await *await)
{
    await->reads[await->count].addr = thread_cancel_addr(native.current->agent);
    await->reads[await->count].value = 0;
    await->reads[await->count].size = 0;
    await->reads[await->count].object = OBJECT_THREAD;
    await->count++;
}

/* The thread has waited. If it was asked to end and there is a signal, too, either may count. */
static void end_if_asked(const struct seen *before)
{
    struct seen now;

    if (!native_cancel_is_requested())
        return;
    now = look();
    if ((now.own == before->own && now.process == before->process) || raddle_choose(2) == 0)
        native_unwind(PTHREAD_CANCELED);
}

/* Until something that is pending for the thread or for the process changes, or the thread is asked to end. */
static void await_change(const struct seen *seen, enum signals_wait how)
{
    struct native_thread *thread = native.current;
    struct await *await = &spin_of(thread)->waits;
    struct op op = native_op(OP_AWAIT, await);

    native_cancel_point(); /* a request that a signal was preferred to */
    await->count = 0;
    if (native_cancellable())
        await_request(await);
    await_cell(await, &signals_own()->pending, seen->own);
    await_cell(await, &signals.process, seen->process);
    op.variant = OBJECT_STRICT; /* no loop, but a call */
    op.expect = OP_AWAIT;
    signals.waits[thread->number] = how;
    signals_of(thread)->looking = true;
    native_ask(&op);
    signals_of(thread)->looking = false;
    signals.waits[thread->number] = SIGNALS_WAIT_NOT;
    end_if_asked(seen);
}

/* One of `set`, which POSIX wants blocked; a signal that comes and has a handler ends the wait, too. */
static int wait_for(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    uint64_t wanted = signals_set_bits(set);
    siginfo_t got;

    native_cancel_point();
    spin_forget();
    for (;;) {
        struct seen seen = look();
        uint64_t pending = seen.own | seen.process;
        int number = pending & wanted ? signals_take(wanted, &got) : 0;

        if (number) {
            if (info)
                *info = got;
            return number;
        }
        if (pending & ~signals_own()->mask && signals_deliver() != SIGNALS_RAN_NONE) {
            errno = EINTR;
            return -1;
        }
        if (timeout && ((timeout->tv_sec == 0 && timeout->tv_nsec == 0) || raddle_choose(2) == 0)) {
            errno = EAGAIN;
            return -1;
        }
        await_change(&seen, timeout ? SIGNALS_WAIT_TIMED : SIGNALS_WAIT_ANY);
    }
}

REAL_CALL(sigwait)
INTERPOSE int sigwait(const sigset_t *restrict set, int *restrict number)
{
    int got;

    if (!native.current)
        return REAL(sigwait)(set, number);
    do
        got = wait_for(set, NULL, NULL);
    while (got < 0);
    *number = got;
    return 0;
}

REAL_CALL(sigwaitinfo)
INTERPOSE int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    return native.current ? wait_for(set, info, NULL) : REAL(sigwaitinfo)(set, info);
}

REAL_CALL(sigtimedwait)
INTERPOSE int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                           const struct timespec *restrict timeout)
{
    if (!native.current)
        return REAL(sigtimedwait)(set, info, timeout);
    if (timeout && (timeout->tv_nsec < 0 || timeout->tv_nsec >= 1000000000)) {
        errno = EINVAL;
        return -1;
    }
    return wait_for(set, info, timeout);
}

/* With another mask, until a handler has run. One that the old mask lets in may run just before: then it ends nothing. */
static int suspend(uint64_t mask)
{
    uint64_t before = signals_own()->mask;

    native_cancel_point();
    spin_forget();
    if (signals_sent)
        signals_look();
    signals_change(&signals_own()->mask, HOOK_XCHG,
                   mask & ~(signals_bit(SIGKILL) | signals_bit(SIGSTOP)));
    for (;;) {
        struct seen seen = look();

        if ((seen.own | seen.process) & ~signals_own()->mask &&
            signals_deliver() != SIGNALS_RAN_NONE)
            break;
        await_change(&seen, SIGNALS_WAIT_ANY);
    }
    signals_change(&signals_own()->mask, HOOK_XCHG, before);
    signals_deliver();
    errno = EINTR;
    return -1;
}

REAL_CALL(sigsuspend)
INTERPOSE int sigsuspend(const sigset_t *set)
{
    return native.current ? suspend(signals_set_bits(set)) : REAL(sigsuspend)(set);
}

REAL_CALL(pause)
INTERPOSE int pause(void)
{
    return native.current ? suspend(signals_own()->mask) : REAL(pause)();
}
