#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/kernel.h"
#include "runtime/memory_bug.h"
#include "runtime/native.h"
#include "runtime/signals.h"

/* How a program ends, and what it asserts. */

/* ---- assertions and annotations */

static const char *message_of(const char *format, const char *a, const char *b, unsigned line)
{
    static char text[512];

    snprintf(text, sizeof text, format, a, b, line);
    return native.session ? native_text(text) : text;
}

static _Noreturn void fail_outside(const char *message)
{
    fprintf(stderr, "%s\n", message);
    kernel_exit(134);
}

INTERPOSE _Noreturn void raddle_fail(const char *expression, const char *file, unsigned line)
{
    const char *message = message_of("assertion '%s' fails (%s:%u)", expression, file, line);

    if (!native.current)
        fail_outside(message);
    native_crash(BUG_ASSERTION, message);
}

INTERPOSE _Noreturn void __assert_fail(const char *expression, const char *file, unsigned line,
                                       const char *function)
{
    (void)function;
    raddle_fail(expression, file, line);
}

INTERPOSE _Noreturn void reach_error(void)
{
    raddle_fail("reach_error() is never called", "", 0);
}

INTERPOSE _Noreturn void __VERIFIER_error(void)
{
    raddle_fail("__VERIFIER_error() is never called", "", 0);
}

INTERPOSE _Noreturn void abort(void)
{
    if (!native.current)
        kernel_exit(134);
    if (signals_fault_is_handled(SIGABRT))
        signals_raise(SIGABRT); /* may jump away */
    native_crash(BUG_CRASH, "the program calls abort");
}

INTERPOSE void raddle_assume(int condition)
{
    struct op op = native_op(OP_ASSUME, NULL);

    if (condition || !native.current)
        return;
    native_ask(&op);
}

INTERPOSE void __VERIFIER_assume(int condition)
{
    raddle_assume(condition);
}

INTERPOSE void assume_abort_if_not(int condition)
{
    raddle_assume(condition);
}

INTERPOSE unsigned raddle_choose(unsigned n)
{
    struct op op = native_op(OP_CHOOSE, NULL);

    if (n <= 1 || !native.current)
        return 0;
    op.value = n;
    return (unsigned)native_ask(&op);
}

INTERPOSE void raddle_atomic_begin(void)
{
    struct op op = native_op(OP_SECTION_BEGIN, NULL);

    if (native.current && !native.alone && native.current->sections++ == 0)
        native_ask(&op);
}

INTERPOSE void raddle_atomic_end(void)
{
    struct op op = native_op(OP_SECTION_END, NULL);

    if (native.current && native.current->sections > 0 && --native.current->sections == 0)
        native_ask(&op);
}

INTERPOSE void __VERIFIER_atomic_begin(void)
{
    raddle_atomic_begin();
}

INTERPOSE void __VERIFIER_atomic_end(void)
{
    raddle_atomic_end();
}

/* A nondeterministic number: from 0 to a bound that an option sets. That is not all it could be, so the verdict is
 * incomplete unless the type has no other values. */
static unsigned choose_number(const char *name, unsigned values)
{
    unsigned bound = native.session ? native.session->nondet_max + 1 : 1;

    if (bound < values)
        native_unsupported(name);
    return raddle_choose(bound < values ? bound : values);
}

#define NONDET(type, name, values)                                                                 \
    INTERPOSE type __VERIFIER_nondet_##name(void)                                                  \
    {                                                                                              \
        return (type)choose_number("__VERIFIER_nondet_" #name ", beyond --nondet-max", values);    \
    }

NONDET(_Bool, bool, 2)
NONDET(char, char, 256)
NONDET(signed char, schar, 256)
NONDET(unsigned char, uchar, 256)
NONDET(short, short, 65536)
NONDET(unsigned short, ushort, 65536)
NONDET(int, int, UINT32_MAX)
NONDET(unsigned, uint, UINT32_MAX)
NONDET(long, long, UINT32_MAX)
NONDET(unsigned long, ulong, UINT32_MAX)
NONDET(long long, longlong, UINT32_MAX)
NONDET(unsigned long long, ulonglong, UINT32_MAX)

/* ---- the end of the process */

#define EXIT_HANDLERS 256

static struct {
    void (*plain)(void);
    void (*taking)(void *);
    void *argument;
} exit_handlers[EXIT_HANDLERS];

static uint32_t exit_handler_count, exit_handlers_of_start;
static uint32_t threads_left; /* that have ended in this execution, otherwise than by exit */

INTERPOSE int atexit(void (*handler)(void))
{
    if (exit_handler_count == EXIT_HANDLERS)
        return -1;
    exit_handlers[exit_handler_count].taking = NULL;
    exit_handlers[exit_handler_count++].plain = handler;
    return 0;
}

/* Of libraries, too; what they register before the start stays theirs and is never called: processes of ours end
 * without ceremony. */
INTERPOSE int __cxa_atexit(void (*handler)(void *), void *argument, void *library)
{
    (void)library;
    if (!native.current)
        return 0;
    if (exit_handler_count == EXIT_HANDLERS)
        return -1;
    exit_handlers[exit_handler_count].taking = handler;
    exit_handlers[exit_handler_count++].argument = argument;
    return 0;
}

INTERPOSE _Noreturn void exit(int status)
{
    if (!native.current)
        kernel_exit(status);
    while (exit_handler_count > 0) {
        uint32_t i = --exit_handler_count;

        if (exit_handlers[i].taking)
            exit_handlers[i].taking(exit_handlers[i].argument);
        else
            exit_handlers[i].plain();
    }
    if (native.session->leaks)
        memory_bug_leaks();
    native_exit_process(status);
}

INTERPOSE _Noreturn void _exit(int status)
{
    if (!native.current)
        kernel_exit(status);
    native_exit_process(status);
}

INTERPOSE _Noreturn void _Exit(int status)
{
    _exit(status);
}

/* The handlers of quick_exit are other ones. */

#define QUICK_HANDLERS 64

int __cxa_at_quick_exit(void (*handler)(void *), void *library);

static void (*quick_handlers[QUICK_HANDLERS])(void *);
static uint32_t quick_handler_count, quick_handlers_of_start;

INTERPOSE int __cxa_at_quick_exit(void (*handler)(void *), void *library)
{
    (void)library;
    if (quick_handler_count == QUICK_HANDLERS) {
        native_unsupported("more handlers of at_quick_exit");
        return -1;
    }
    quick_handlers[quick_handler_count++] = handler;
    return 0;
}

INTERPOSE int at_quick_exit(void (*handler)(void))
{
    return __cxa_at_quick_exit((void (*)(void *))(uintptr_t)handler, NULL);
}

INTERPOSE _Noreturn void quick_exit(int status)
{
    while (native.current && quick_handler_count > 0)
        quick_handlers[--quick_handler_count](NULL);
    _exit(status);
}

/* When all threads have ended, and none has called exit, the last one would run the handlers. Which one that is does not
 * count as a difference between executions, so it cannot be any of them. */
void process_thread_leaves(void)
{
    uint32_t alive = 0;

    for (uint32_t i = 0; i < native.threads.count; i++)
        alive += native.threads.at[i]->agent != AGENT_NONE;
    if (++threads_left == alive && exit_handler_count > 0)
        native_unsupported("handlers of atexit after main has called pthread_exit");
}

void process_save(void)
{
    exit_handlers_of_start = exit_handler_count;
    quick_handlers_of_start = quick_handler_count;
}

void process_restart(void)
{
    threads_left = 0;
    exit_handler_count = exit_handlers_of_start;
    quick_handler_count = quick_handlers_of_start;
}

/* ---- what is not modelled */

INTERPOSE pid_t fork(void)
{
    native_unsupported("fork");
    errno = ENOSYS;
    return -1;
}
