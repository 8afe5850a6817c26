#include "runtime/signals/model.h"

#include <errno.h>
#include <setjmp.h>

#include "runtime/core/kernel.h"
#include "runtime/core/state.h"
#include "runtime/hooks/plain.h"
#include "runtime/program/spin.h"

/* Masks, and what goes with them: stacks for handlers, and jumps out of them. */

static void kernel_mask(int how, const sigset_t *set)
{
    uint64_t bits = signals_set_bits(set) & (signals_bit(SIGPIPE) | signals_bit(SIGXFSZ));

    if (how == SIG_SETMASK || !bits)
        return; /* rarely needed, and a system call each time */
    state_note(STATE_MASK);
    syscall(SYS_rt_sigprocmask, how, &bits, NULL, 8);
}

/* Without what cannot be blocked: two of them are libc's own. */
static uint64_t can_block(uint64_t mask)
{
    return mask &
           ~(signals_bit(SIGKILL) | signals_bit(SIGSTOP) | signals_bit(32) | signals_bit(33));
}

static int mask_change(int how, const sigset_t *set, sigset_t *old)
{
    uint64_t before = signals_own()->mask, after = before;

    if (set && how == SIG_BLOCK)
        after |= signals_set_bits(set);
    else if (set && how == SIG_UNBLOCK)
        after &= ~signals_set_bits(set);
    else if (set && how == SIG_SETMASK)
        after = signals_set_bits(set);
    else if (set)
        return EINVAL;
    if (set)
        kernel_mask(how, set);
    after = can_block(after);
    if (old)
        signals_set_fill(old, before);
    if (after != before)
        signals_change(&signals_own()->mask, HOOK_XCHG, after);
    if (before & ~after)
        signals_deliver();
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

/* ---- calls that wait with a mask of their own */

uint64_t signals_mask_begin(const sigset_t *mask, bool *due)
{
    uint64_t before = signals_own()->mask;
    uint64_t during = mask ? can_block(signals_set_bits(mask)) : before;
    struct signals_thread *thread = signals_of(native.current);
    uint64_t came;

    *due = false;
    thread->served_before = thread->served;
    if (during == before)
        return before;
    if (signals_sent)
        signals_look(); /* what the old mask lets in comes before */
    thread->masked = true;
    signals_change(&signals_own()->mask, HOOK_XCHG, during);
    came = (signals_read(&signals_own()->pending) | signals_read(&signals.process)) & ~during;
    for (; came; came &= came - 1)
        *due |= !signals_is_ignored(__builtin_ctzll(came) + 1);
    return before;
}

bool signals_mask_handle(void)
{
    const struct signals_thread *thread = signals_of(native.current);

    if (signals_deliver() != SIGNALS_RAN_NONE || thread->served != thread->served_before)
        return true;
    native_unsupported("a signal that a call lets in, and that another thread takes");
    return false;
}

void signals_mask_end(uint64_t before)
{
    if (signals_own()->mask == before)
        return;
    signals_of(native.current)->masked = false;
    signals_change(&signals_own()->mask, HOOK_XCHG, before);
    signals_deliver();
}

REAL_CALL(sigpending)
INTERPOSE int sigpending(sigset_t *set)
{
    if (!native.current)
        return REAL(sigpending)(set);
    spin_forget();
    signals_set_fill(set, signals_read(&signals_own()->pending) |
                              (signals_sent ? signals_read(&signals.process) : 0));
    return 0;
}

/* Ours stays, and handlers run on the stack of their thread; those of faults on the one that is named here, if they ask for it. */
REAL_CALL(sigaltstack)
INTERPOSE int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
    stack_t *mine;

    if (!native.current)
        return REAL(sigaltstack)(stack, old);
    mine = &signals.stacks[native.current->number];
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
    const stack_t *stack = &signals.stacks[native.current->number];

    if (!(signals.actions[number].sa_flags & SA_ONSTACK) || !stack->ss_sp)
        return NULL;
    return (char *)stack->ss_sp + stack->ss_size;
}

/* ---- jumps out of handlers. glibc saves the kernel's mask, which is not the program's. */

void signals_jump_set(const void *buffer, bool with_mask)
{
    uint32_t i = 0;

    while (i < signals.jump_count && signals.jumps[i].buffer != buffer)
        i++;
    if (!with_mask) { /* as cleanup handlers have it: there is nothing to remember */
        if (i < signals.jump_count)
            signals.jumps[i] = signals.jumps[--signals.jump_count];
        return;
    }
    if (i == SIGNALS_JUMPS) {
        native_unsupported("more than 64 places to jump to with a mask of signals");
        return;
    }
    signals.jump_count = i == signals.jump_count ? i + 1 : signals.jump_count;
    signals.jumps[i].buffer = buffer;
    signals.jumps[i].mask = signals_own()->mask;
}

/* What all of them use of the buffer: registers, and whether there is a mask. */
#define JUMP_USED (sizeof(__jmp_buf) + sizeof(int))

static void jump(const void *buffer)
{
    if (!native.current)
        return;
    native_reads(buffer, JUMP_USED);
    signals_of(native.current)->looking = signals_of(native.current)->masked = false;
    for (uint32_t i = 0; i < signals.jump_count; i++)
        if (signals.jumps[i].buffer == buffer) {
            signals_change(&signals_own()->mask, HOOK_XCHG, signals.jumps[i].mask);
            signals_deliver();
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
