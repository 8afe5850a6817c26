#include <errno.h>
#include <stdlib.h>

#include "base/check.h"
#include "detect/detect.h"
#include "model/buffer.h"
#include "runtime/core/kernel.h"
#include "runtime/core/state.h"
#include "runtime/ending/ending.h"
#include "runtime/hooks/plain.h"
#include "runtime/hooks/written.h"
#include "runtime/job/alike.h"
#include "runtime/job/fingerprint.h"
#include "runtime/job/job.h"
#include "runtime/program/debug.h"
#include "runtime/program/memory_bug.h"
#include "runtime/program/native.h"
#include "runtime/report/lock_order_report.h"
#include "runtime/report/source.h"
#include "runtime/signals/signals.h"
#include "runtime/threads/attributes.h"

/* The program as a target: what the engine has it do. */

#define MEMORY_RESERVE ((size_t)1 << 36)

/* Whatever is to be known while a thread runs. */
static void thread_enter(struct native_thread *thread)
{
    native.current = thread;
    thread->runs++;
    detect_run(thread->number);
    if (native_compares() && native.detects)
        detect_tick();
    plain_begin(thread);
    written_begin();
    if (world_is_buffered(native.world))
        buffer_show(native.world, thread->agent);
    native.session->running = thread->number;
    native.session->progress++;
    native.session->in_program = true;
    __raddle_frames = thread->frames;
}

/* The same for the one that has run last, under SC and where states are not compared (native.base.follows): all else is as it was. */
static void thread_goes_on(struct native_thread *thread)
{
    thread->runs++;
    plain_begin(thread);
    native.session->progress++;
    native.session->in_program = true;
}

static struct native_thread *thread_of_agent(agent_id agent)
{
    return native.threads.at[native.world->agents.at[agent].key];
}

/* native.follow */
static void *thread_follow(void)
{
    struct native_thread *thread = native.current;
    agent_id agent;

    native.session->in_program = false;
    agent = world_follow(native.world, &thread->asked);
    if (agent == AGENT_NONE)
        return NULL;
    thread = thread_of_agent(agent);
    thread->result = native.world->step.result;
    if (thread == native.current) {
        thread_goes_on(thread);
        return thread;
    }
    thread_enter(thread);
    tls_use(thread->fiber.pointer);
    return thread;
}

/* Lets a thread run until it asks for something, or in a replay until somebody does who cannot be followed. */
static void thread_run(struct native_thread *thread, struct op *next)
{
    thread_enter(thread);
    if (__builtin_expect(fiber_threads, 0)) {
        native_debug_run(thread);
    } else {
        tls_use(thread->fiber.pointer);
        fiber_switch(&native.engine, &thread->fiber);
        if (__builtin_expect(native.records, 0))
            tls_use(tls.engine);
    }
    thread = native.current;
    native.current = NULL;
    native.session->in_program = false;
    if (world_is_buffered(native.world))
        buffer_hide(native.world, thread->agent);
    written_settle();
    *next = thread->asked;
}

static void thread_entry(void *argument)
{
    struct native_thread *thread = argument;

    if (thread->start) {
        tls_begin();
        native_leave_thread(thread->start(thread->argument));
    }
    errno = native.error; /* the engine may have changed it since it was put back */
    constructors_run();
    exit(native.main(native.argc, native.argv, native.environment));
}

/* Its thread-local memory as it is before it runs. */
static void locals_prepare(struct native_thread *thread)
{
    struct fiber *fiber = &thread->fiber;

    if (!thread->start) {
        fiber->pointer = tls.main;
    } else if (fiber->pointer) {
        tls_renew(fiber->pointer);
    } else {
        fiber->pointer = tls_make(thread->stack.low + thread->stack.size);
        CHECK(tls_track(fiber->pointer) == 0, "no thread-local memory for thread %u",
              thread->number);
    }
}

static void native_start(struct target *target, struct world *world, agent_id agent,
                         struct op *next)
{
    struct native_thread *thread = thread_of_agent(agent);
    size_t wanted = attributes_of(thread)->stack_wanted;

    (void)target;
    if (session_knows(native.session, session_stuck_key(thread->number))) {
        world->threads.at[agent].status = THREAD_HALTED;
        return;
    }
    thread->stack = stack_get_sized(thread->number, wanted ? wanted + tls.room : STACK_SIZE);
    CHECK(thread->stack.low, "no stack for thread %u", thread->number);
    fiber_prepare(&thread->fiber, thread->stack.low,
                  (size_t)(native_stack_end(thread) - thread->stack.low), thread_entry, thread);
    fiber_inherit(&thread->fiber, thread->floats);
    locals_prepare(thread);
    if (fiber_threads)
        native_debug_start(thread);
    native.session->starting = true;
    thread_run(thread, next);
    native.session->starting = false;
}

static void native_resume(struct target *target, struct world *world, agent_id agent,
                          cell_value result, struct op *next)
{
    struct native_thread *thread = thread_of_agent(agent);

    (void)target;
    (void)world;
    thread->result = result;
    thread_run(thread, next);
}

static void native_restart(struct target *target, struct world *world)
{
    (void)target;
    tls_use(tls.engine);
    /* a wait for the end of a thread may be one for a request or a signal, too, or a mere look */
    world->merges_lives =
        !native.session->cancels && !native.session->tries_to_join && !signals_sent;
    native.base.follows = !fiber_threads && !native.records && !native_compares();
    world->watch = lock_order_begin(native.detects ? &sync_watch : NULL);
    parts_restart();
    if (state_is_lost())
        native_unsupported("descriptors, signals or limits that cannot be brought back");
    world->ran = native_main_thread()->agent;
    world_start(world, world->ran);
}

static const struct target_ops native_ops = {
    .restart = native_restart,
    .start = native_start,
    .resume = native_resume,
    .local = fingerprint_local,
    .shared = fingerprint_shared,
    .note = fingerprint_note,
    .change = fingerprint_change,
    .is_open = fingerprint_is_open,
    .alike = alike_now,
    .began_alike = alike_at_first,
};

void native_open(struct session *session)
{
    void *memory = kernel_map(NULL, MEMORY_RESERVE);

    native.base.ops = &native_ops;
    memory_bug_name = source_text;
    native.follow = thread_follow;
    native.session = session;
    CHECK(memory, "no address space");
    arena_place(&native.memory, memory, MEMORY_RESERVE);
    native.world = &session->explorer.world;
    session->probe = (struct session_probe){
        .frames = (uint64_t)(uintptr_t)&__raddle_frames,
        .site_in_frame = offsetof(struct raddle_frame, site),
        .file_in_site = offsetof(struct raddle_site, file),
        .line_in_site = offsetof(struct raddle_site, line),
    };
}
