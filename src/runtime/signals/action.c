#include "runtime/signals/model.h"

#include <errno.h>
#include <stdio.h>

#include "runtime/core/kernel.h"
#include "runtime/core/state.h"
#include "runtime/program/spin.h"

/* What a signal does. */

static bool is_by_kernel(int number)
{
    return number == SIGPIPE || number == SIGXFSZ;
}

REAL_CALL(sigaction)

static bool is_settable(int number)
{
    return signals_is_number(number) && number != SIGKILL && number != SIGSTOP && number != 32 &&
           number != 33; /* libc's own */
}

INTERPOSE int sigaction(int number, const struct sigaction *restrict action,
                        struct sigaction *restrict old)
{
    struct sigaction before;

    if (!native.current)
        return REAL(sigaction)(number, action, old);
    if (!signals_is_number(number) || (action && !is_settable(number))) {
        errno = EINVAL;
        return -1;
    }
    if (action) {
        struct sigaction wanted = *action;

        __raddle_rmw8(&signals.changes[number], 1, 4u | HOOK_ADD << 8, native_site());
        before = signals.actions[number];
        signals.actions[number] = wanted;
        signals.actions_used = true;
        if (is_by_kernel(number)) {
            state_signal_changing(number);
            REAL(sigaction)(number, &wanted, NULL);
        }
    } else {
        __raddle_load8(&signals.changes[number], 4, native_site());
        before = signals.actions[number];
    }
    if (old)
        *old = before;
    return 0;
}

static sighandler_t set_handler(int number, sighandler_t handler, int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;

    return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

INTERPOSE sighandler_t signal(int number, sighandler_t handler)
{
    return set_handler(number, handler, SA_RESTART);
}

INTERPOSE sighandler_t bsd_signal(int number, sighandler_t handler)
{
    return set_handler(number, handler, SA_RESTART);
}

INTERPOSE sighandler_t sysv_signal(int number, sighandler_t handler)
{
    return set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

/* What signal() is without the extensions of BSD. */
INTERPOSE sighandler_t __sysv_signal(int number, sighandler_t handler)
{
    return sysv_signal(number, handler);
}

INTERPOSE int siginterrupt(int number, int interrupt)
{
    struct sigaction action;

    if (sigaction(number, NULL, &action) != 0)
        return -1;
    action.sa_flags = interrupt ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
    return sigaction(number, &action, NULL);
}

static bool ends_process(int number)
{
    return number != SIGCHLD && number != SIGURG && number != SIGWINCH && number != SIGCONT;
}

static bool stops_process(int number)
{
    return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

void signals_act_by_default(int number)
{
    char text[100];

    if (stops_process(number)) {
        native_unsupported("stopping by a signal");
        return;
    }
    if (!ends_process(number))
        return;
    snprintf(text, sizeof text, "signal %d (SIG%s) ends the program", number,
             sigabbrev_np(number) ? sigabbrev_np(number) : "RT");
    native_crash(BUG_CRASH, native_text(text));
}

/* Sets the mask as the kernel does around a handler. */
static void run_handler(int number, const struct sigaction *action, siginfo_t *info, void *context)
{
    uint64_t before = signals_own()->mask;
    uint64_t during = before | signals_set_bits(&action->sa_mask);
    int error = errno;

    if (!(action->sa_flags & SA_NODEFER))
        during |= signals_bit(number);
    if (action->sa_flags & (int)SA_RESETHAND) {
        __raddle_rmw8(&signals.changes[number], 1, 4u | HOOK_ADD << 8, native_site());
        signals.actions[number] = (struct sigaction){.sa_handler = SIG_DFL};
        signals.actions_used = true;
    }
    signals_change(&signals_own()->mask, HOOK_XCHG, during);
    if (action->sa_flags & SA_SIGINFO)
        action->sa_sigaction(number, info, context);
    else
        action->sa_handler(number);
    signals_change(&signals_own()->mask, HOOK_XCHG, before);
    errno = error;
}

enum signals_ran signals_act(int number, siginfo_t *info)
{
    struct sigaction action;
    ucontext_t context;

    spin_forget();
    __raddle_load8(&signals.changes[number], 4, native_site());
    action = signals.actions[number];
    if (action.sa_handler == SIG_IGN)
        return SIGNALS_RAN_NONE;
    if (action.sa_handler == SIG_DFL) {
        signals_act_by_default(number);
        return SIGNALS_RAN_NONE;
    }
    memset(&context, 0, sizeof context);
    signals_set_fill(&context.uc_sigmask, signals_own()->mask);
    run_handler(number, &action, info, &context);
    return action.sa_flags & SA_RESTART ? SIGNALS_RAN_RESTARTS : SIGNALS_RAN;
}

/* Whether anything can come of it; the action may change later, but a signal that is ignored now is gone. */
bool signals_is_ignored(int number)
{
    __raddle_load8(&signals.changes[number], 4, native_site());
    return signals.actions[number].sa_handler == SIG_IGN ||
           (signals.actions[number].sa_handler == SIG_DFL && !ends_process(number));
}

/* ---- faults */

bool signals_fault_is_handled(int number)
{
    return signals.actions[number].sa_handler != SIG_DFL &&
           signals.actions[number].sa_handler != SIG_IGN &&
           !(signals_own()->mask & signals_bit(number));
}

void signals_fault(int number, siginfo_t *info, void *context)
{
    struct sigaction action = signals.actions[number];

    spin_forget();
    run_handler(number, &action, info, context);
}

/* ---- abort */

INTERPOSE _Noreturn void abort(void)
{
    if (!native.current) {
        constructors_leave();
        kernel_exit(134);
    }
    if (signals_fault_is_handled(SIGABRT))
        signals_raise(SIGABRT); /* may jump away */
    native_crash(BUG_CRASH, "the program calls abort");
}
