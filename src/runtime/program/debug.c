#include <errno.h>
#include <stdio.h>

#include "runtime/core/kernel.h"
#include "runtime/program/debug.h"
#include "runtime/program/native.h"

/* Replays for a debugger: what is a fiber otherwise has an OS thread, so that the debugger lists it and shows its stack.
 * The engine keeps the OS thread that the process began with. */

static struct {
    const struct session_bug
        *found;     /* what the debugger is to see, while a thread has the turn for it */
    uint32_t races; /* seen so far */
} debug;            /* outlives a run: there is only one */

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
    while (debug.found) {
        __raddle_bug(bug_kind_names[debug.found->kind], debug.found->message);
        fiber_hand_over(&thread->fiber, &native.engine);
    }
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
    char text[4096];
    int length = snprintf(text, sizeof text, format, a, b, thread);

    if (length >= (int)sizeof text)
        length = sizeof text - 1;
    (void)!syscall(SYS_write, native.session->log_fd, text, (size_t)length);
}

static void bug_tell(const struct session_bug *bug)
{
    say("raddle: %s: %s (thread %u)\n", bug_kind_names[bug->kind], bug->message, bug->thread);
    if (bug->detail)
        say("%s%s", bug->detail, "", 0);
}

/* The thread that has the bug stops, if it is the engine that has found it. */
static void bug_show(const struct session_bug *bug)
{
    struct native_thread *thread = native.threads.at[bug->thread];

    bug_tell(bug);
    if (native.current || !thread->fiber.host) {
        __raddle_bug(bug_kind_names[bug->kind], bug->message);
    } else {
        debug.found = bug;
        native_debug_run(thread);
        debug.found = NULL;
    }
}

void native_debug_race(uint32_t thread)
{
    const struct session_bug *known = &native.session->debugged;
    struct session_bug race = {.kind = BUG_DATA_RACE,
                               .thread = thread,
                               .message = "another access of this memory is not ordered"};
    int error = errno;

    debug.races++;
    bug_show(known->kind == BUG_DATA_RACE && known->thread == thread && known->message ? known
                                                                                       : &race);
    errno = error;
}

void native_debug_end(void)
{
    const struct session *session = native.session;

    fflush(NULL);
    if (session->phase == SESSION_DIVERGED) {
        say("raddle: the run went another way: %s%s\n", session->divergence, "", 0);
        kernel_exit(3);
    }
    if (session->bugs.count > 0)
        bug_show(&session->bugs.at[0]);
    else if (debug.races == 0)
        say("raddle: the run ends without the bug%s%s\n", "", "", 0);
    kernel_exit(session->bugs.count || debug.races ? 1 : 3);
}
