#include "runtime/signals/model.h"

#include <errno.h>

#include "raddle.h"
#include "runtime/core/kernel.h"
#include "runtime/program/spin.h"

/* Sending. */

/* To the running thread: its handler runs before this returns, unless it is blocked. */
static void send_self(siginfo_t *info)
{
    if (signals_own()->mask & signals_bit(info->si_signo))
        signals_pend(native.current->number, info);
    else
        signals_act(info->si_signo, info);
}

void signals_raise(int number)
{
    siginfo_t info = signals_info(number, SI_TKILL, (union sigval){0});

    spin_forget();
    send_self(&info);
}

INTERPOSE int raise(int number)
{
    if (!native.current)
        return (int)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
    if (!signals_is_number(number)) {
        if (number == 0)
            return 0;
        errno = EINVAL;
        return -1;
    }
    signals_raise(number);
    return 0;
}

/* To a thread other than the running one, which may be in the middle of anything. */
static void post(const struct native_thread *thread, const siginfo_t *info)
{
    struct thread_signals *to = &signals.threads[thread->number];
    int number = info->si_signo;
    bool blocked = signals_read(&to->mask) & signals_bit(number);

    if (!blocked && signals_is_ignored(number))
        return;
    if (!blocked && signals.actions[number].sa_handler == SIG_DFL) {
        signals_act_by_default(number);
        return;
    }
    if (signals_pend(thread->number, info) && number >= SIGRTMIN)
        native_unsupported("real-time signals that queue up");
}

static int thread_send(pthread_t handle, int number, int code, union sigval value)
{
    struct native_thread *thread = native_thread_of(handle);
    siginfo_t info = signals_info(number, code, value);

    /* its end changes that: so this is done before it in some run, and after it in another one */
    if (thread && thread != native.current)
        signals_read(&signals.threads[thread->number].mask);
    if (!thread || thread->joined)
        return ESRCH;
    if (number == 0)
        return 0;
    if (!signals_is_number(number))
        return EINVAL;
    spin_forget();
    if (thread == native.current)
        send_self(&info);
    else
        post(thread, &info);
    return 0;
}

INTERPOSE int pthread_kill(pthread_t thread, int number)
{
    return native.current ? thread_send(thread, number, SI_TKILL, (union sigval){0}) : ESRCH;
}

INTERPOSE int pthread_sigqueue(pthread_t thread, int number, const union sigval value)
{
    return native.current ? thread_send(thread, number, SI_QUEUE, value) : ESRCH;
}

/* Any thread that lets it in may get it; if none does, it waits for one. */
static void process_send(const siginfo_t *info)
{
    struct native_thread *candidates[RUNTIME_THREADS];
    int number = info->si_signo;
    unsigned count = 0;

    signals_read(&signals.created);
    for (uint32_t i = 0; i < native.threads.count; i++) {
        struct native_thread *thread = native.threads.at[i];

        if (thread->agent != AGENT_NONE &&
            !(signals_read(&signals.threads[i].mask) & signals_bit(number)))
            candidates[count++] = thread;
    }
    if (count == 0) {
        signals_pend(RUNTIME_THREADS, info);
        return;
    }
    if (signals_is_ignored(number))
        return;
    if (signals.actions[number].sa_handler == SIG_DFL)
        signals_act_by_default(number);
    candidates[0] = candidates[raddle_choose(count)];
    if (candidates[0] == native.current)
        signals_act(number, (siginfo_t *)info);
    else
        post(candidates[0], info);
}

static int send_process(pid_t pid, int number, int code, union sigval value)
{
    siginfo_t info = signals_info(number, code, value);

    if (number != 0 && !signals_is_number(number)) {
        errno = EINVAL;
        return -1;
    }
    if (pid == getpid() && number == 0)
        return 0;
    if (pid == getpid()) {
        spin_forget();
        process_send(&info);
        return 0;
    }
    if (number == 0)
        return (int)syscall(SYS_kill, pid, 0);
    native_refused("signals to other processes");
    errno = EPERM;
    return -1;
}

REAL_CALL(kill)
INTERPOSE int kill(pid_t pid, int number)
{
    if (!native.current)
        return REAL(kill)(pid, number);
    return send_process(pid, number, SI_USER, (union sigval){0});
}

REAL_CALL(sigqueue)
INTERPOSE int sigqueue(pid_t pid, int number, const union sigval value)
{
    if (!native.current)
        return REAL(sigqueue)(pid, number, value);
    return send_process(pid, number, SI_QUEUE, value);
}

NOT_MODELLED(int, killpg, (int group, int number), (group, number), EPERM, -1)
