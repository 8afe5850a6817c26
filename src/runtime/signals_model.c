#include "runtime/signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "detect/detect.h"
#include "raddle.h"
#include "runtime/files.h"
#include "runtime/kernel.h"
#include "runtime/native.h"
#include "runtime/state.h"

/* ---- state. The cells are touched by hooks; their addresses are the same in each process. */

struct thread_signals {
    uint64_t pending; /* a bit each, number 1 is bit 0 */
    uint64_t mask;
};

static struct thread_signals signals_of_thread[RUNTIME_THREADS];
static uint64_t signals_of_process;             /* pending for whoever lets them in */
static uint64_t signals_threads;                /* grows with each thread that is made */
static uint64_t signal_actions[SIGNALS];        /* a cell each, for the order of changes */
static struct sigaction actions[SIGNALS];       /* what they do; all zeros is the default */
static siginfo_t infos[RUNTIME_THREADS + 1][8]; /* of the last signals sent, see info_of */
static enum signals_wait waits[RUNTIME_THREADS];
static stack_t stacks[RUNTIME_THREADS];
static uint32_t threads_used = 1; /* numbers below it may have state */
static bool actions_used;
static struct sigaction actions_at_start[SIGNALS];
static uint64_t mask_at_start;

bool signals_sent;

#define JUMPS 64

/* Where sigsetjmp was called, and the mask then. */
static struct {
    const void *buffer;
    uint64_t mask;
    bool with_mask;
} jumps[JUMPS];
static uint32_t jump_count;

static uint64_t bit(int number)
{
    return (uint64_t)1 << (number - 1);
}

static bool is_number(int number)
{
    return number >= 1 && number < SIGNALS;
}

static uint64_t set_bits(const sigset_t *set)
{
    uint64_t bits;

    memcpy(&bits, set, sizeof bits);
    return bits;
}

static void set_fill(sigset_t *set, uint64_t bits)
{
    memset(set, 0, sizeof *set);
    memcpy(set, &bits, sizeof bits);
}

/* If nobody can send, a thread's state is its own, and no step. These steps themselves do not look for signals. */
static uint64_t cell_read(uint64_t *cell)
{
    bool looking = native.current->signalled;
    uint64_t value;

    if (!signals_sent)
        return *cell;
    native.current->signalled = true;
    value = __raddle_load8(cell, 4, native_site());
    native.current->signalled = looking;
    return value;
}

static uint64_t cell_change(uint64_t *cell, enum hook_rmw how, uint64_t value)
{
    bool looking = native.current->signalled;
    uint64_t old = *cell;

    if (!signals_sent) {
        *cell = how == HOOK_OR ? old | value : how == HOOK_AND ? old & value : value;
        return old;
    }
    native.current->signalled = true;
    old = __raddle_rmw8(cell, value, 4u | (uint32_t)how << 8, native_site());
    native.current->signalled = looking;
    return old;
}

static struct thread_signals *own(void)
{
    return &signals_of_thread[native.current->number];
}

static uint64_t own_mask(void)
{
    return own()->mask; /* nobody else writes it */
}

/* ---- start and restart */

void signals_prepare(void)
{
    static const char *const senders[] = {"kill",     "pthread_kill", "pthread_sigqueue",
                                          "sigqueue", "tgkill",       "killpg"};

    for (int number = 1; number < SIGNALS; number++) {
        struct {
            void *handler;
            unsigned long flags;
            void *restorer;
            uint64_t mask;
        } action;

        if (syscall(SYS_rt_sigaction, number, NULL, &action, 8) == 0 &&
            action.handler == (void *)SIG_IGN)
            actions_at_start[number].sa_handler = SIG_IGN;
    }
    syscall(SYS_rt_sigprocmask, 0, NULL, &mask_at_start, 8);
    for (size_t i = 0; i < sizeof senders / sizeof *senders; i++)
        signals_sent |= image_calls(senders[i]);
    actions_used = true;
    signals_restart();
}

void signals_restart(void)
{
    memset(signals_of_thread, 0, threads_used * sizeof *signals_of_thread);
    memset(waits, 0, threads_used * sizeof *waits);
    memset(stacks, 0, threads_used * sizeof *stacks);
    threads_used = 1;
    signals_of_process = signals_threads = 0;
    jump_count = 0;
    signals_of_thread[0].mask = mask_at_start;
    if (!actions_used)
        return;
    memcpy(actions, actions_at_start, sizeof actions);
    memset(signal_actions, 0, sizeof signal_actions);
    actions_used = false;
}

void signals_inherit(uint32_t child)
{
    if (child >= threads_used)
        threads_used = child + 1;
    if (signals_sent)
        cell_change(&signals_threads, HOOK_ADD, 1);
    signals_of_thread[child] = (struct thread_signals){.mask = own_mask()};
    waits[child] = SIGNALS_WAIT_NOT;
    stacks[child] = (stack_t){.ss_flags = SS_DISABLE};
}

/* Nothing reaches a thread that is gone. */
void signals_exit(void)
{
    if (signals_sent)
        cell_change(&own()->mask, HOOK_XCHG, ~(uint64_t)0);
}

/* ---- what a signal does */

static bool is_by_kernel(int number)
{
    return number == SIGPIPE || number == SIGXFSZ;
}

REAL_CALL(sigaction)

static bool is_settable(int number)
{
    return is_number(number) && number != SIGKILL && number != SIGSTOP && number != 32 &&
           number != 33; /* libc's own */
}

INTERPOSE int sigaction(int number, const struct sigaction *restrict action,
                        struct sigaction *restrict old)
{
    struct sigaction before;

    if (!native.current)
        return REAL(sigaction)(number, action, old);
    if (!is_number(number) || (action && !is_settable(number))) {
        errno = EINVAL;
        return -1;
    }
    if (action) {
        struct sigaction wanted = *action;

        __raddle_rmw8(&signal_actions[number], 1, 4u | HOOK_ADD << 8, native_site());
        before = actions[number];
        actions[number] = wanted;
        actions_used = true;
        if (is_by_kernel(number)) {
            state_signal_changing(number);
            REAL(sigaction)(number, &wanted, NULL);
        }
    } else {
        __raddle_load8(&signal_actions[number], 4, native_site());
        before = actions[number];
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

static void act_by_default(int number)
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
    uint64_t before = own_mask();
    uint64_t during = before | set_bits(&action->sa_mask);
    int error = errno;

    if (!(action->sa_flags & SA_NODEFER))
        during |= bit(number);
    if (action->sa_flags & (int)SA_RESETHAND) {
        __raddle_rmw8(&signal_actions[number], 1, 4u | HOOK_ADD << 8, native_site());
        actions[number] = (struct sigaction){.sa_handler = SIG_DFL};
        actions_used = true;
    }
    cell_change(&own()->mask, HOOK_XCHG, during);
    if (action->sa_flags & SA_SIGINFO)
        action->sa_sigaction(number, info, context);
    else
        action->sa_handler(number);
    cell_change(&own()->mask, HOOK_XCHG, before);
    errno = error;
}

static void act(int number, siginfo_t *info)
{
    struct sigaction action;
    ucontext_t context;

    spin_forget();
    __raddle_load8(&signal_actions[number], 4, native_site());
    action = actions[number];
    if (action.sa_handler == SIG_IGN)
        return;
    if (action.sa_handler == SIG_DFL) {
        act_by_default(number);
        return;
    }
    memset(&context, 0, sizeof context);
    set_fill(&context.uc_sigmask, own_mask());
    run_handler(number, &action, info, &context);
}

/* ---- pending */

/* Room for a few at a time; two of the same kind with different data are not kept apart. */
static siginfo_t *info_of(uint32_t thread, int number)
{
    return &infos[thread][number % 8];
}

static siginfo_t info_make(int number, int code, union sigval value)
{
    siginfo_t info = {.si_signo = number, .si_code = code};

    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value = value;
    return info;
}

/* Takes one of `wanted` that is pending for the running thread; 0: none is. */
static int take(uint64_t wanted, siginfo_t *info)
{
    uint64_t *const cells[] = {&own()->pending, &signals_of_process};
    uint32_t places[] = {native.current->number, RUNTIME_THREADS};

    for (unsigned i = 0; i < (signals_sent ? 2 : 1); i++) {
        uint64_t found = cell_read(cells[i]) & wanted;

        while (found) {
            int number = __builtin_ctzll(found) + 1;

            found &= found - 1;
            if (!(cell_change(cells[i], HOOK_AND, ~bit(number)) & bit(number)))
                continue; /* another thread was faster */
            *info = *info_of(places[i], number);
            if (info->si_signo != number)
                *info = info_make(number, SI_TKILL, (union sigval){0});
            return number;
        }
    }
    return 0;
}

/* Runs handlers as long as there is something that the mask lets in; how many. */
static unsigned deliver(void)
{
    unsigned count = 0;
    siginfo_t info;
    int number;

    while ((number = take(~own_mask(), &info)) != 0) {
        act(number, &info);
        count++;
    }
    return count;
}

/* Ones that were sent to the thread itself; those for the process are given out when they are sent, or wait for somebody to unblock them. */
void signals_look(void)
{
    struct op op = native_op(OP_LOAD, &own()->pending);
    cell_value pending;

    if (native.current->signalled || native.current->sections || native.alone)
        return;
    op.size = sizeof own()->pending;
    op.order = ORDER_SEQ_CST;
    native.current->signalled = true;
    pending = native_ask(
        &op); /* not by a hook: to spin.h it is part of the operation that it comes before */
    native.current->signalled = false;
    if (!((uint64_t)pending & ~own_mask()))
        return;
    /* At an operation is as good as anywhere before it, unless the handler meets plain memory: see hooks.c. */
    native.current->handlers++;
    if (native.detects)
        detect_tick();
    deliver();
    native.current->handlers--;
}

/* ---- masks */

static void kernel_mask(int how, const sigset_t *set)
{
    uint64_t bits = set_bits(set) & (bit(SIGPIPE) | bit(SIGXFSZ));

    if (how == SIG_SETMASK || !bits)
        return; /* rarely needed, and a system call each time */
    state_note(STATE_MASK);
    syscall(SYS_rt_sigprocmask, how, &bits, NULL, 8);
}

static int mask_change(int how, const sigset_t *set, sigset_t *old)
{
    uint64_t before = own_mask(), after = before;

    if (set && how == SIG_BLOCK)
        after |= set_bits(set);
    else if (set && how == SIG_UNBLOCK)
        after &= ~set_bits(set);
    else if (set && how == SIG_SETMASK)
        after = set_bits(set);
    else if (set)
        return EINVAL;
    if (set)
        kernel_mask(how, set);
    after &= ~(bit(SIGKILL) | bit(SIGSTOP) | bit(32) | bit(33));
    if (old)
        set_fill(old, before);
    if (after != before)
        cell_change(&own()->mask, HOOK_XCHG, after);
    if (before & ~after)
        deliver();
    return 0;
}

REAL_CALL(sigprocmask)
INTERPOSE int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    if (!native.current)
        return REAL(sigprocmask)(how, set, old);
    if (mask_change(how, set, old) == 0)
        return 0;
    errno = EINVAL;
    return -1;
}

REAL_CALL(pthread_sigmask)
INTERPOSE int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    return native.current ? mask_change(how, set, old) : REAL(pthread_sigmask)(how, set, old);
}

REAL_CALL(sigpending)
INTERPOSE int sigpending(sigset_t *set)
{
    if (!native.current)
        return REAL(sigpending)(set);
    spin_forget();
    set_fill(set, cell_read(&own()->pending) | (signals_sent ? cell_read(&signals_of_process) : 0));
    return 0;
}

/* Ours stays, and handlers run on the stack of their thread; those of faults on the one that is named here, if they ask for it. */
REAL_CALL(sigaltstack)
INTERPOSE int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
    stack_t *mine;

    if (!native.current)
        return REAL(sigaltstack)(stack, old);
    mine = &stacks[native.current->number];
    if (stack && !(stack->ss_flags & SS_DISABLE) && stack->ss_size < (size_t)MINSIGSTKSZ) {
        errno = ENOMEM;
        return -1;
    }
    if (old)
        *old = mine->ss_sp ? *mine : (stack_t){.ss_flags = SS_DISABLE};
    if (stack)
        *mine = stack->ss_flags & SS_DISABLE ? (stack_t){0} : *stack;
    return 0;
}

char *signals_stack(int number)
{
    const stack_t *stack = &stacks[native.current->number];

    if (!(actions[number].sa_flags & SA_ONSTACK) || !stack->ss_sp)
        return NULL;
    return (char *)stack->ss_sp + stack->ss_size;
}

/* ---- jumps out of handlers. glibc saves the kernel's mask, which is not the program's. */

void signals_jump_set(const void *buffer, bool with_mask)
{
    uint32_t i = 0;

    while (i < jump_count && jumps[i].buffer != buffer)
        i++;
    if (i == JUMPS) {
        native_unsupported("more than 64 places to jump to");
        return;
    }
    jump_count = i == jump_count ? i + 1 : jump_count;
    jumps[i].buffer = buffer;
    jumps[i].with_mask = with_mask;
    jumps[i].mask = own_mask();
}

static void jump(const void *buffer)
{
    if (!native.current)
        return;
    native.current->signalled = false;
    for (uint32_t i = 0; i < jump_count; i++)
        if (jumps[i].buffer == buffer && jumps[i].with_mask) {
            cell_change(&own()->mask, HOOK_XCHG, jumps[i].mask);
            deliver();
        }
}

#define JUMPS_TO(name)                                                                             \
    REAL_CALL(name)                                                                                \
    INTERPOSE void name(struct __jmp_buf_tag buffer[1], int value)                                 \
    {                                                                                              \
        jump(buffer);                                                                              \
        REAL(name)(buffer, value);                                                                 \
        __builtin_unreachable();                                                                   \
    }

void __longjmp_chk(struct __jmp_buf_tag buffer[1], int value);

JUMPS_TO(siglongjmp)
JUMPS_TO(longjmp)
JUMPS_TO(_longjmp)
JUMPS_TO(__longjmp_chk)

/* ---- sending */

void signals_raise(int number)
{
    siginfo_t info = info_make(number, SI_TKILL, (union sigval){0});

    spin_forget();
    if (!(own_mask() & bit(number))) {
        act(number, &info);
        return;
    }
    *info_of(native.current->number, number) = info;
    cell_change(&own()->pending, HOOK_OR, bit(number));
}

INTERPOSE int raise(int number)
{
    if (!native.current)
        return (int)syscall(SYS_tgkill, getpid(), gettid(), number);
    if (!is_number(number)) {
        if (number == 0)
            return 0;
        errno = EINVAL;
        return -1;
    }
    signals_raise(number);
    return 0;
}

/* Whether anything can come of it; the action may change later, but a signal that is ignored now is gone. */
static bool is_ignored(int number)
{
    __raddle_load8(&signal_actions[number], 4, native_site());
    return actions[number].sa_handler == SIG_IGN ||
           (actions[number].sa_handler == SIG_DFL && !ends_process(number));
}

static bool is_waiting(const struct native_thread *thread)
{
    return waits[thread->number] == SIGNALS_WAIT_NOT &&
           native.world->threads.at[thread->agent].status == THREAD_RUNNING &&
           !world_enabled(native.world, thread->agent);
}

/* To a thread other than the running one, which may be in the middle of anything. */
static void post(struct native_thread *thread, const siginfo_t *info)
{
    struct thread_signals *to = &signals_of_thread[thread->number];
    int number = info->si_signo;
    bool blocked = cell_read(&to->mask) & bit(number);
    uint64_t before;

    if (!blocked && is_ignored(number))
        return;
    if (!blocked && actions[number].sa_handler == SIG_DFL) {
        act_by_default(number);
        return;
    }
    *info_of(thread->number, number) = *info;
    before = cell_change(&to->pending, HOOK_OR, bit(number));
    if (before & bit(number) && number >= SIGRTMIN)
        native_unsupported("real-time signals that queue up");
    if (!blocked && is_waiting(thread))
        native_unsupported("a signal for a thread that waits: it goes on waiting");
}

static int thread_send(pthread_t handle, int number, int code, union sigval value)
{
    struct native_thread *thread = native_thread_of(handle);
    siginfo_t info = info_make(number, code, value);

    /* its end changes that: so this is done before it in some run, and after it in another one */
    if (thread && thread != native.current)
        cell_read(&signals_of_thread[thread->number].mask);
    if (!thread || thread->joined)
        return ESRCH;
    if (number == 0)
        return 0;
    if (!is_number(number))
        return EINVAL;
    spin_forget();
    if (thread != native.current) {
        post(thread, &info);
        return 0;
    }
    if (!(own_mask() & bit(number))) {
        act(number, &info);
        return 0;
    }
    *info_of(thread->number, number) = info;
    cell_change(&own()->pending, HOOK_OR, bit(number));
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

    cell_read(&signals_threads);
    for (uint32_t i = 0; i < native.threads.count; i++) {
        struct native_thread *thread = native.threads.at[i];

        if (thread->agent != AGENT_NONE && !(cell_read(&signals_of_thread[i].mask) & bit(number)))
            candidates[count++] = thread;
    }
    if (count == 0) {
        *info_of(RUNTIME_THREADS, number) = *info;
        cell_change(&signals_of_process, HOOK_OR, bit(number));
        return;
    }
    if (is_ignored(number))
        return;
    if (actions[number].sa_handler == SIG_DFL)
        act_by_default(number);
    candidates[0] = candidates[raddle_choose(count)];
    if (candidates[0] == native.current)
        act(number, (siginfo_t *)info);
    else
        post(candidates[0], info);
}

static int send_process(pid_t pid, int number, int code, union sigval value)
{
    siginfo_t info = info_make(number, code, value);

    if (number != 0 && !is_number(number)) {
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
    native_unsupported("signals to other processes");
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

/* ---- waiting */

enum signals_wait signals_waits(uint32_t thread)
{
    return waits[thread];
}

/* What a thread that waits has seen. */
struct seen {
    uint64_t own, process;
};

static struct seen look(void)
{
    return (struct seen){cell_read(&own()->pending),
                         signals_sent ? cell_read(&signals_of_process) : 0};
}

static void await_cell(struct await *await, const uint64_t *cell, uint64_t value)
{
    await->reads[await->count].addr = (uint64_t)(uintptr_t)cell;
    await->reads[await->count].value = value;
    await->reads[await->count].size = sizeof *cell;
    await->reads[await->count].object = OBJECT_CELL;
    await->count++;
}

/* Until something that is pending for the thread or for the process changes. */
static void await_change(const struct seen *seen, enum signals_wait how)
{
    struct native_thread *thread = native.current;
    struct await *await = &thread->spin.waits;
    struct op op = native_op(OP_AWAIT, await);

    await->count = 0;
    await_cell(await, &own()->pending, seen->own);
    await_cell(await, &signals_of_process, seen->process);
    waits[thread->number] = how;
    thread->signalled = true;
    native_ask(&op);
    thread->signalled = false;
    waits[thread->number] = SIGNALS_WAIT_NOT;
}

/* One of `set`, which POSIX wants blocked; a signal that comes and has a handler ends the wait, too. */
static int wait_for(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    uint64_t wanted = set_bits(set);
    siginfo_t got;

    native_cancel_point();
    spin_forget();
    for (;;) {
        struct seen seen = look();
        uint64_t pending = seen.own | seen.process;
        int number = pending & wanted ? take(wanted, &got) : 0;

        if (number) {
            if (info)
                *info = got;
            return number;
        }
        if (pending & ~own_mask() && deliver()) {
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

/* With another mask, until a handler has run. */
static int suspend(uint64_t mask)
{
    uint64_t before = own_mask();

    native_cancel_point();
    spin_forget();
    cell_change(&own()->mask, HOOK_XCHG, mask & ~(bit(SIGKILL) | bit(SIGSTOP)));
    for (;;) {
        struct seen seen = look();

        if ((seen.own | seen.process) & ~own_mask() && deliver())
            break;
        await_change(&seen, SIGNALS_WAIT_ANY);
    }
    cell_change(&own()->mask, HOOK_XCHG, before);
    deliver();
    errno = EINTR;
    return -1;
}

REAL_CALL(sigsuspend)
INTERPOSE int sigsuspend(const sigset_t *set)
{
    return native.current ? suspend(set_bits(set)) : REAL(sigsuspend)(set);
}

REAL_CALL(pause)
INTERPOSE int pause(void)
{
    return native.current ? suspend(own_mask()) : REAL(pause)();
}

/* ---- faults */

bool signals_fault_is_handled(int number)
{
    return actions[number].sa_handler != SIG_DFL && actions[number].sa_handler != SIG_IGN &&
           !(own_mask() & bit(number));
}

void signals_fault(int number, siginfo_t *info, void *context)
{
    struct sigaction action = actions[number];

    spin_forget();
    run_handler(number, &action, info, context);
}
