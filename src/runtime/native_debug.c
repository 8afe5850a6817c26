#include <errno.h>
#include <stdio.h>

#include "runtime/kernel.h"
#include "runtime/native.h"

/* Replays for a debugger: what is a fiber otherwise has an OS thread, so that the debugger lists it and shows its stack.
 * The engine keeps the OS thread that the process began with. */

static const struct session_bug *found; /* what the debugger is to see, once the run is over */

void native_debug_open(void)
{
    fiber_threads_open(&native.engine, "raddle");
}

/* A debugger stops here: the thread that has the bug, where it has it. Above it on the stack is what it was doing. */
INTERPOSE __attribute__((noinline)) void __raddle_bug(const char *kind, const char *message)
{
    __asm__ volatile("" : : "r"(kind), "r"(message) : "memory");
}

void native_debug_ask(struct native_thread *thread)
{
    fiber_hand_over(&thread->fiber, &native.engine);
    if (found) {
        __raddle_bug(bug_kind_names[found->kind], found->message);
        fiber_hand_over(&thread->fiber, &native.engine);
    }
    errno = thread->error;
}

void native_debug_start(struct native_thread *thread)
{
    char name[16];

    snprintf(name, sizeof name, "T%u%s", thread->number, thread->number ? "" : " (main)");
    fiber_threads_start(&thread->fiber, name);
}

void native_debug_run(struct native_thread *thread)
{
    fiber_hand_over(&native.engine, &thread->fiber);
}

static void say(const char *format, const char *a, const char *b, uint32_t thread)
{
    char text[1200];
    int length = snprintf(text, sizeof text, format, a, b, thread);

    if (length >= (int)sizeof text)
        length = sizeof text - 1;
    (void)!syscall(SYS_write, native.session->log_fd, text, (size_t)length);
}

void native_debug_end(void)
{
    const struct session *session = native.session;
    struct native_thread *thread;

    fflush(NULL);
    if (session->phase == SESSION_DIVERGED) {
        say("raddle: the run went another way: %s%s\n", session->divergence, "", 0);
        kernel_exit(3);
    }
    if (session->bugs.count == 0) {
        say("raddle: the run ends without the bug%s%s\n", "", "", 0);
        kernel_exit(3);
    }
    found = &session->bugs.at[0];
    say("raddle: %s: %s (thread %u)\n", bug_kind_names[found->kind], found->message, found->thread);
    if (found->detail)
        say("%s%s", found->detail, "", 0);
    thread = native.threads.at[found->thread];
    if (thread->fiber.host)
        native_debug_run(thread);
    else
        __raddle_bug(bug_kind_names[found->kind], found->message);
    kernel_exit(1);
}
