#include "runtime/signals/model.h"

#include <unistd.h>

#include "base/fingerprint.h"
#include "detect/detect.h"
#include "runtime/core/image.h"
#include "runtime/core/kernel.h"

/* The state of all signals, and what is pending. */

struct signals_state signals;
bool signals_sent; /* outlives a run: the program does not change */

uint64_t signals_read(uint64_t *cell)
{
    bool looking = signals_of(native.current)->looking;
    uint64_t value;

    if (!signals_sent)
        return *cell;
    signals_of(native.current)->looking = true;
    value = __raddle_load8(cell, 4, native_site());
    signals_of(native.current)->looking = looking;
    return value;
}

uint64_t signals_change(uint64_t *cell, enum hook_rmw how, uint64_t value)
{
    bool looking = signals_of(native.current)->looking;
    uint64_t old = *cell;

    if (!signals_sent) {
        *cell = how == HOOK_OR ? old | value : how == HOOK_AND ? old & value : value;
        return old;
    }
    signals_of(native.current)->looking = true;
    old = __raddle_rmw8(cell, value, 4u | (uint32_t)how << 8, native_site());
    signals_of(native.current)->looking = looking;
    return old;
}

/* ---- start and restart */

static void restart(void)
{
    memset(signals.threads, 0, signals.threads_used * sizeof *signals.threads);
    memset(signals.waits, 0, signals.threads_used * sizeof *signals.waits);
    memset(signals.stacks, 0, signals.threads_used * sizeof *signals.stacks);
    signals.threads_used = 1;
    signals.process = signals.created = 0;
    signals.jump_count = 0;
    signals.timers = 0;
    signals.threads[0].mask = signals.mask_at_start;
    if (!signals.actions_used)
        return;
    memcpy(signals.actions, signals.actions_at_start, sizeof signals.actions);
    memset(signals.changes, 0, sizeof signals.changes);
    signals.actions_used = false;
}

/* Finds out whether the program can send signals to threads. */
static void open_signals(void)
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
            action.handler == (void *)SIG_IGN && !(native.session->shielded & signals_bit(number)))
            signals.actions_at_start[number].sa_handler = SIG_IGN;
    }
    syscall(SYS_rt_sigprocmask, 0, NULL, &signals.mask_at_start, 8);
    for (size_t i = 0; i < sizeof senders / sizeof *senders; i++)
        signals_sent |= image_calls(senders[i]);
    if (signals_sent)
        native.way = signals_way;
    signals.actions_used = true;
    signals.threads_used = 1;
    restart();
}

/* A new thread has the mask of its creator. */
static void thread_begins(struct native_thread *thread)
{
    uint32_t child = thread->number;

    *signals_of(thread) = (struct signals_thread){.call = SIGNALS_GOES_ON};
    if (!native.current)
        return;
    if (child >= signals.threads_used)
        signals.threads_used = child + 1;
    if (signals_sent)
        signals_change(&signals.created, HOOK_ADD, 1);
    signals.threads[child] = (struct thread_signals){.mask = signals_own()->mask};
    signals.waits[child] = SIGNALS_WAIT_NOT;
    signals.stacks[child] = (stack_t){.ss_flags = SS_DISABLE};
}

void signals_begin_with(uint32_t child, const sigset_t *mask)
{
    signals.threads[child].mask = signals_set_bits(mask);
}

/* Nothing reaches a thread that is gone. */
static void thread_ends(void)
{
    if (signals_sent)
        signals_change(&signals_own()->mask, HOOK_XCHG, ~(uint64_t)0);
}

/* ---- pending */

/* Room for a few at a time; two of the same kind with different data are not kept apart. */
static siginfo_t *info_of(uint32_t thread, int number)
{
    return &signals.infos[thread][number % 8];
}

siginfo_t signals_info(int number, int code, union sigval value)
{
    siginfo_t info = {.si_signo = number, .si_code = code};

    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value = value;
    return info;
}

/* To send is one step with all that waits could be interrupted by it: see touch_cond_wake. */
static uint64_t pend(uint64_t *cell, uint64_t bit)
{
    struct op op = native_op(OP_RMW, cell);
    bool looking = signals_of(native.current)->looking;
    uint64_t before;

    if (!signals_sent)
        return signals_change(cell, HOOK_OR, bit);
    op.size = sizeof *cell;
    op.order = ORDER_SEQ_CST;
    op.variant = RMW_OR;
    op.value = bit;
    op.mutex = 1;
    signals_of(native.current)->looking = true;
    before = (uint64_t)native_ask(&op);
    signals_of(native.current)->looking = looking;
    return before;
}

bool signals_pend(uint32_t thread, const siginfo_t *info)
{
    uint64_t *cell =
        thread == RUNTIME_THREADS ? &signals.process : &signals.threads[thread].pending;
    uint64_t bit = signals_bit(info->si_signo);

    if (pend(cell, bit) & bit)
        return true; /* and what is told of it stays */
    *info_of(thread, info->si_signo) = *info;
    return false;
}

int signals_take(uint64_t wanted, siginfo_t *info)
{
    uint64_t *const cells[] = {&signals_own()->pending, &signals.process};
    uint32_t places[] = {native.current->number, RUNTIME_THREADS};

    for (unsigned i = 0; i < (signals_sent ? 2 : 1); i++) {
        uint64_t found = signals_read(cells[i]) & wanted;

        while (found) {
            int number = __builtin_ctzll(found) + 1;

            found &= found - 1;
            if (!(signals_change(cells[i], HOOK_AND, ~signals_bit(number)) & signals_bit(number)))
                continue; /* another thread was faster */
            *info = *info_of(places[i], number);
            if (info->si_signo != number)
                *info = signals_info(number, SI_TKILL, (union sigval){0});
            return number;
        }
    }
    return 0;
}

enum signals_ran signals_deliver(void)
{
    enum signals_ran first = SIGNALS_RAN_NONE;
    struct signals_thread *thread = signals_of(native.current);
    bool masked = thread->masked;
    siginfo_t info;
    int number;

    thread->masked = false; /* not what the handlers do */

    while ((number = signals_take(~signals_own()->mask, &info)) != 0) {
        enum signals_ran ran = signals_act(number, &info);

        thread->served += ran != SIGNALS_RAN_NONE;
        if (first == SIGNALS_RAN_NONE)
            first = ran;
    }
    thread->masked = masked;
    return first;
}

bool signals_came(void)
{
    struct op op = native_op(OP_LOAD, &signals_own()->pending);
    cell_value pending;

    if (signals_of(native.current)->looking || native.current->sections || native.alone)
        return false;
    op.size = sizeof signals_own()->pending;
    op.order = ORDER_SEQ_CST;
    signals_of(native.current)->looking = true;
    pending = native_ask(
        &op); /* not by a hook: to spin.h it is part of the operation that it comes before */
    signals_of(native.current)->looking = false;
    return (uint64_t)pending & ~signals_own()->mask;
}

/* At an operation is as good as anywhere before it, unless the handler meets plain memory: see hooks.c. */
enum signals_ran signals_handle(void)
{
    struct native_thread *thread = native.current;
    uint8_t call = signals_of(thread)->call;
    enum signals_ran ran;

    signals_of(thread)->call = SIGNALS_GOES_ON; /* calls of the handler are other ones */
    thread->handlers++;
    if (native.detects)
        detect_tick();
    ran = signals_deliver();
    thread->handlers--;
    signals_of(thread)->call = call;
    return ran;
}

/* ---- the part */

/* Masks and what is pending are memory that nobody logs as long as no thread can send signals. What is told of a signal is not told here. */
static bool fingerprint(struct fingerprint *into)
{
    if (signals.process || signals.timers || signals.jump_count)
        return false;
    if (signals.actions_used)
        fingerprint_bytes(into, signals.actions, sizeof signals.actions);
    return true;
}

static bool fingerprint_thread(const struct native_thread *thread, struct fingerprint *into)
{
    const struct signals_thread *own = signals_of(thread);
    const struct thread_signals *cells = &signals.threads[thread->number];
    const stack_t *stack = &signals.stacks[thread->number];

    if (cells->pending || own->masked || signals.waits[thread->number] != SIGNALS_WAIT_NOT)
        return false;
    fingerprint_word(into, cells->mask);
    if (signals_sent)
        fingerprint_word(into, (uint64_t)own->interrupted << 32 | (uint64_t)own->looking << 8 |
                                   own->call);
    if (stack->ss_sp) {
        fingerprint_word(into, (uint64_t)(uintptr_t)stack->ss_sp);
        fingerprint_word(into, stack->ss_size);
        fingerprint_word(into, (uint64_t)stack->ss_flags);
    }
    return true;
}

const struct part signals_part = {.name = "signals",
                                  .state = &signals,
                                  .size = sizeof signals,
                                  .thread_size = sizeof(struct signals_thread),
                                  .open = open_signals,
                                  .restart = restart,
                                  .thread_begins = thread_begins,
                                  .thread_ends = thread_ends,
                                  .fingerprint = fingerprint,
                                  .fingerprint_thread = fingerprint_thread};
