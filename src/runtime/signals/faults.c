#include "runtime/signals/signals.h"

#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/kernel.h"
#include "runtime/program/native.h"
#include "runtime/report/names.h"
#include "runtime/signals/model.h"

/* Faults: the first write to a page that a restart must bring back, a handler of the program, or the end of a program thread. */

#define HANDLER_STACK ((size_t)256 << 10)
#define RED_ZONE      128  /* bytes below the stack pointer that belong to the function */
#define FAULTS_MAX    1000 /* at one place, one after the other: the handler changes nothing */

static char handler_stack[HANDLER_STACK]; /* outlives a run: nobody is on it between two faults */

static const struct {
    int number;
    const char *text;
} faults[] = {
    {SIGSEGV, "an invalid access"},     {SIGBUS, "a bus error"}, {SIGFPE, "an arithmetic fault"},
    {SIGILL, "an illegal instruction"}, {SIGTRAP, "a trap"},
};

static const char *fault_text(int number)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].number == number)
            return faults[i].text;
    return "a signal";
}

static bool is_overflow(int number, const siginfo_t *info, uint32_t *thread)
{
    return number == SIGSEGV && stack_find(info->si_addr, thread) == STACK_BELOW;
}

static const char *fault_message(int number, const siginfo_t *info)
{
    char text[400];
    char place[200];
    struct text t = text_open(text, sizeof text);
    uint32_t thread;

    if (is_overflow(number, info, &thread)) {
        text_add(&t, "the stack of ");
        native_thread_words(&t, thread);
        text_add(&t, " overflows");
    } else if (number == SIGSEGV || number == SIGBUS) {
        names_address((uint64_t)(uintptr_t)info->si_addr, 0, NULL, place, sizeof place);
        text_add(&t, "%s to %s", fault_text(number), place);
    } else {
        text_add(&t, "%s", fault_text(number));
    }
    return native_text(text);
}

/* ---- handlers of the program. They may run other threads, and jump: so not here, on the one stack for signals, but on a stack of
 * the thread. What the kernel saved is moved there, and the return from the handler goes back through it. */

/* What the kernel's ucontext ends with; libc's is longer. */
#define KERNEL_CONTEXT 304

struct moved {
    ucontext_t context; /* first: the return reads it */
    siginfo_t info;
    int number;
};

void signals_enter(struct moved *moved);

/* Called with the thread's stack pointer at a struct moved. */
void signals_leave_by(void);
__asm__(".text\n"
        ".type signals_leave_by, @function\n"
        "signals_leave_by:\n"
        "    movq %rbx, %rdi\n"
        "    call signals_enter\n"
        "    movq %rbx, %rsp\n"
        "    movl $15, %eax\n" /* rt_sigreturn */
        "    syscall\n"
        "    ud2\n"
        ".size signals_leave_by, .-signals_leave_by\n");

__attribute__((used)) void signals_enter(struct moved *moved)
{
    signals_fault(moved->number, &moved->info, &moved->context);
}

/* Bytes of the floating-point state that the kernel saved, with what it appends. */
static size_t float_size(const void *state)
{
    static const uint32_t extended = 0x46505853; /* "there is more": magic of the kernel */
    uint32_t magic, size;

    memcpy(&magic, (const char *)state + 464, sizeof magic);
    memcpy(&size, (const char *)state + 468, sizeof size);
    return magic == extended ? size : 512;
}

static char *push(char *top, size_t size, size_t align)
{
    return (char *)((uintptr_t)(top - size) & ~(uintptr_t)(align - 1));
}

/* False if there is no room for it. */
static bool handler_enter(int number, const siginfo_t *info, ucontext_t *context, bool overflow)
{
    greg_t *registers = context->uc_mcontext.gregs;
    char *stack = signals_stack(number);
    char *top = stack ? stack : (char *)registers[REG_RSP] - RED_ZONE;
    const void *floats = context->uc_mcontext.fpregs;
    size_t size = floats ? float_size(floats) : 0;
    struct moved *moved;

    if (overflow && !stack)
        return false;
    top = push(top, size, 64);
    if (size)
        memcpy(top, floats, size);
    moved = (struct moved *)push(top, sizeof *moved, 64);
    memset(&moved->context, 0, sizeof moved->context);
    memcpy(&moved->context, context, KERNEL_CONTEXT);
    moved->context.uc_mcontext.fpregs = size ? (fpregset_t)top : NULL;
    moved->info = *info;
    moved->number = number;
    registers[REG_RBX] = (greg_t)(uintptr_t)moved;
    registers[REG_RSP] = (greg_t)(uintptr_t)moved; /* a multiple of 16, as before a call */
    registers[REG_RIP] = (greg_t)(uintptr_t)signals_leave_by;
    registers[REG_EFL] &= ~(greg_t)0x400; /* the direction flag */
    return true;
}

static bool fault_repeats(const ucontext_t *context)
{
    static greg_t
        last; /* outlives a run: a handler that changes nothing comes here often enough in one */
    static unsigned count; /* outlives a run: the same */
    greg_t at = context->uc_mcontext.gregs[REG_RIP];

    count = at == last ? count + 1 : 0;
    last = at;
    return count >= FAULTS_MAX;
}

/* As if nobody had a handler for it. */
static void die_of(int number)
{
    struct {
        void *handler;
        unsigned long flags[3];
    } standard = {SIG_DFL, {0}};

    syscall(SYS_rt_sigaction, number, &standard, NULL, 8);
    syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), number);
}

/* The terminal, or who ends a whole group, means the driver: it says when we are to stop. What the program itself sends past us counts. */
static void on_shielded(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0 && info->si_pid == (pid_t)syscall(SYS_getpid))
        die_of(number);
}

/* Leaves the handler by switching to the engine, for good, if the thread is dead: then the next signal starts afresh at the
 * top of the handler's stack. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    uint32_t thread;
    bool overflow;

    if (number == SIGSEGV && info->si_code == SEGV_ACCERR && image_fault(info->si_addr))
        return;
    if (!native.current) {
        die_of(number);
        return;
    }
    overflow = is_overflow(number, info, &thread);
    if (signals_fault_is_handled(number) && !fault_repeats(context) &&
        handler_enter(number, info, context, overflow))
        return;
    native_crash(BUG_CRASH, fault_message(number, info));
}

void faults_open(void)
{
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};

    CHECK(sigaltstack(&stack, NULL) == 0, "no stack for signals");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i].number, &action, NULL);
    action.sa_sigaction = on_shielded;
    action.sa_flags |= SA_RESTART;
    for (int number = 1; number < SIGNALS; number++)
        if (native.session->shielded & signals_bit(number))
            sigaction(number, &action, NULL);
}
