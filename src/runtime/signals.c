#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "runtime/image.h"
#include "runtime/names.h"
#include "runtime/native.h"

/* Faults: the first write to a page that a restart must bring back, or the end of a program thread. */

#define HANDLER_STACK ((size_t)256 << 10)

static char handler_stack[HANDLER_STACK];

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

static const char *fault_message(int number, const siginfo_t *info)
{
    static char text[400];
    char place[200];
    uint32_t thread;

    if (number == SIGSEGV && stack_find(info->si_addr, &thread) == STACK_BELOW)
        snprintf(text, sizeof text, "the stack of thread %u overflows", thread);
    else if (number == SIGSEGV || number == SIGBUS) {
        names_address((uint64_t)(uintptr_t)info->si_addr, place, sizeof place);
        snprintf(text, sizeof text, "%s to %s", fault_text(number), place);
    } else {
        snprintf(text, sizeof text, "%s", fault_text(number));
    }
    return native_text(text);
}

/* Leaves the handler by switching to the engine, for good: the thread is dead, and the next signal starts afresh at the
 * top of the handler's stack. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (number == SIGSEGV && info->si_code == SEGV_ACCERR && image_fault(info->si_addr))
        return;
    if (!native.current) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    native_crash(BUG_CRASH, fault_message(number, info));
}

void signals_open(void)
{
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};

    CHECK(sigaltstack(&stack, NULL) == 0, "no stack for signals");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i].number, &action, NULL);
}
