#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "detect/detect.h"
#include "model/buffer.h"
#include "runtime/sync/calls.h"
#include "runtime/library/external.h"
#include "runtime/files/files.h"
#include "runtime/sync/futex.h"
#include "runtime/core/heap.h"
#include "runtime/core/image.h"
#include "runtime/library/library.h"
#include "runtime/program/memory_bug.h"
#include "runtime/program/native.h"
#include "runtime/hooks/plain.h"
#include "runtime/hooks/races.h"
#include "runtime/signals/signals.h"
#include "runtime/core/state.h"
#include "runtime/core/symbols.h"

struct native native = {.alone = true};

/* Handles look like pointers, but to nowhere. */
#define HANDLE_BASE 0x640000000000u
#define HANDLE_STEP 64u

unsigned long native_handle(const struct native_thread *thread)
{
    return HANDLE_BASE + (unsigned long)thread->number * HANDLE_STEP;
}

struct native_thread *native_thread_of(unsigned long handle)
{
    unsigned long number = (handle - HANDLE_BASE) / HANDLE_STEP;

    if (handle < HANDLE_BASE || (handle - HANDLE_BASE) % HANDLE_STEP ||
        number >= native.threads.count || native.threads.at[number]->agent == AGENT_NONE)
        return NULL;
    return native.threads.at[number];
}

session_text native_text(const char *text)
{
    size_t size;
    char *copy;

    if (!text)
        return NULL;
    size = strlen(text) + 1;
    copy = arena_alloc(&native.session->arena, size);
    memcpy(copy, text, size);
    return copy;
}

const struct raddle_site *native_site(void)
{
    return __raddle_frames ? __raddle_frames->site : NULL;
}

struct op native_op(enum op_kind kind, const void *addr)
{
    return (struct op){.kind = (uint8_t)kind,
                       .addr = (uint64_t)(uintptr_t)addr,
                       .site = (uint64_t)(uintptr_t)native_site()};
}

/* ---- switching */

/* Where a signal that another thread sent may come in between. */
static bool is_interruptible(const struct op *op)
{
    return op->kind != OP_THREAD_EXIT && op->kind != OP_PROCESS_EXIT && op->kind != OP_CRASH &&
           op->kind != OP_ASSERT && op->kind != OP_ASSUME && op->kind != OP_SECTION_BEGIN &&
           op->kind != OP_SECTION_END && op->kind != OP_COND_RESUME &&
           op->kind != OP_BARRIER_RESUME;
}

/* An object in a block that was freed. Looked at before the operation, and again after it. */
static void object_check(const struct op *op)
{
    uint8_t object = op_infos[op->kind].object;

    if (object > OBJECT_CELL && object < OBJECT_THREAD)
        memory_check((const void *)(uintptr_t)op->addr, 1, true);
}

/* Who waited at a barrier or on a condition has left it as soon as it was woken: it may have been destroyed since, and then be
 * gone. The mutex of a condition must still be there. */
static void object_check_after(const struct op *op)
{
    uint8_t object = op_infos[op->kind].object;
    bool waited = object == OBJECT_COND && op_infos[op->kind].sync == SYNC_RELEASE_MUTEX;
    loc_id loc;

    if (!waited && op->kind != OP_BARRIER_WAIT) {
        object_check(op);
        return;
    }
    if (waited)
        memory_check((const void *)(uintptr_t)op->mutex, 1, true);
    loc = world_location(native.world, object, op->addr);
    if (!(world_state(native.world, loc) & OBJECT_DESTROYED))
        object_check(op);
}

static cell_value hand_over(const struct op *op)
{
    struct native_thread *thread = native.current;

    object_check(op);
    spin_settle();
    thread->asked = *op;
    thread->error = errno;
    thread->frames = __raddle_frames;
    if (__builtin_expect(fiber_threads, 0))
        native_debug_ask(thread);
    else
        fiber_switch(&thread->fiber, &native.engine);
    spin_after(op, thread->result);
    object_check_after(op);
    return thread->result;
}

/* In a program whose threads can send each other signals. An AWAIT is not asked for again: what it waits for is its caller's, and may
 * have changed. */
static cell_value ask_signalled(const struct op *asked)
{
    struct op op = *asked;
    cell_value result;
    bool goes_on;

    do {
        if (is_interruptible(&op))
            signals_look();
        if (!signals_mark(&op))
            return hand_over(&op);
        result = hand_over(&op);
        if (result != WAIT_INTERRUPTED)
            return result;
        goes_on = signals_interrupted(&op);
    } while (goes_on && op.kind != OP_AWAIT);
    return goes_on ? 0 : WAIT_INTERRUPTED;
}

static cell_value ask(const struct op *op)
{
    return __builtin_expect(signals_sent, 0) ? ask_signalled(op) : hand_over(op);
}

/* The operation that does not wait where `kind` does; OP_KIND_COUNT: there is none. */
static enum op_kind try_of(uint8_t kind)
{
    switch (kind) {
    case OP_MUTEX_LOCK:
        return OP_MUTEX_TRYLOCK;
    case OP_SPIN_LOCK:
        return OP_SPIN_TRYLOCK;
    case OP_RWLOCK_RDLOCK:
        return OP_RWLOCK_TRYRDLOCK;
    case OP_RWLOCK_WRLOCK:
        return OP_RWLOCK_TRYWRLOCK;
    default:
        return OP_KIND_COUNT;
    }
}

/* A thread that may be cancelled anywhere: after each operation, and while it waits for a lock. */
static cell_value ask_anywhere(const struct op *op)
{
    uint8_t object = op_infos[op->kind].object;
    struct op try = *op;
    enum native_awaited awaited = AWAITED_CHANGE;
    cell_value result;

    if (try_of(op->kind) == OP_KIND_COUNT) {
        result = ask(op);
        native_cancel_point();
        return result;
    }
    try.kind = (uint8_t)try_of(op->kind);
    while ((result = ask(&try)) == LOCK_BUSY) {
        if (awaited == AWAITED_CANCEL)
            native_unwind(PTHREAD_CANCELED);
        awaited = native_cancel_await(
            op->kind, object, op->addr,
            world_state(native.world, world_location(native.world, object, op->addr)));
    }
    native_cancel_point();
    return result;
}

cell_value native_ask(const struct op *op)
{
    if (native.current->cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS && native_cancellable() &&
        op->kind != OP_THREAD_TESTCANCEL && op->kind != OP_AWAIT)
        return ask_anywhere(op);
    return ask(op);
}

/* Lets a thread run until it asks for something. */
static void thread_run(struct native_thread *thread, struct op *next)
{
    native.current = thread;
    detect_run(thread->number);
    plain_begin(thread);
    if (world_is_buffered(native.world))
        buffer_show(native.world, thread->agent);
    native.session->running = thread->number;
    native.session->progress++;
    native.session->in_program = true;
    errno = thread->error;
    __raddle_frames = thread->frames;
    if (__builtin_expect(fiber_threads, 0))
        native_debug_run(thread);
    else
        fiber_switch(&native.engine, &thread->fiber);
    native.current = NULL;
    native.session->in_program = false;
    if (world_is_buffered(native.world))
        buffer_hide(native.world, thread->agent);
    *next = thread->asked;
}

static void thread_entry(void *argument)
{
    struct native_thread *thread = argument;

    if (thread->start)
        native_leave_thread(thread->start(thread->argument));
    exit(native.main(native.argc, native.argv, native.environment));
}

void native_exit_thread(void *returned)
{
    struct op op = native_op(OP_THREAD_EXIT, NULL);

    native.current->returned = returned;
    signals_exit();
    mutex_abandon_all();
    plain_end();
    native_ask(&op);
    CHECK(false, "a thread went on after its end");
    __builtin_unreachable();
}

void native_exit_process(int status)
{
    struct op op = native_op(OP_PROCESS_EXIT, NULL);

    files_flush();
    op.value = (uint32_t)status;
    op.expect = status != 0 && native.session->exit_is_bug;
    if (op.expect)
        native.current->crash = "the program ends with a status other than 0";
    native_ask(&op);
    CHECK(false, "a thread went on after exit");
    __builtin_unreachable();
}

void native_crash(enum bug_kind kind, const char *message)
{
    struct op op = native_op(kind == BUG_ASSERTION ? OP_ASSERT : OP_CRASH, NULL);

    native.current->crash = message;
    op.value = kind == BUG_ASSERTION ? 0 : kind;
    native_ask(&op);
    CHECK(false, "a thread went on after it died");
    __builtin_unreachable();
}

/* ---- threads */

static uint64_t thread_name(uint32_t parent, uint32_t rank)
{
    return ((uint64_t)parent + 1) << 32 | rank;
}

/* The number of a thread does not depend on the interleaving, once it has been seen in this search. */
static uint32_t thread_number(uint32_t parent, uint32_t rank)
{
    struct session *session = native.session;
    uint64_t name = thread_name(parent, rank);
    uint32_t number = map_get(&native.thread_numbers, name);

    if (number == MAP_ABSENT) {
        number = session->threads.count;
        vec_push(&session->arena, &session->threads,
                 (struct session_thread){.parent = parent, .rank = rank});
        map_add(&native.thread_numbers, name, number);
    }
    return number;
}

uint32_t native_child(uint32_t parent, uint32_t rank)
{
    return rank <= native.threads.at[parent]->children ? thread_number(parent, rank)
                                                       : NATIVE_NO_THREAD;
}

static struct native_thread *thread_slot(uint32_t number)
{
    struct arena *arena = &native.session->arena;

    while (native.threads.count <= number) {
        struct native_thread *thread = arena_alloc(arena, sizeof *thread);

        memset(thread, 0, sizeof *thread);
        thread->number = native.threads.count;
        thread->agent = AGENT_NONE;
        vec_push(arena, &native.threads, thread);
    }
    return native.threads.at[number];
}

/* Everything of a thread as it is before it runs. Its copies of thread-local variables went with the heap. */
static void thread_reset(struct native_thread *thread)
{
    thread->agent = world_thread(native.world, thread->number);
    thread->children = 0;
    thread->result = 0;
    thread->returned = NULL;
    thread->joined = false;
    thread->time = 0;
    thread->error = 0;
    thread->frames = NULL;
    memset(&thread->spin, 0, sizeof thread->spin);
    thread->signalled = false;
    thread->stack_shared = thread->number < native.session->shared_stacks.count &&
                           native.session->shared_stacks.at[thread->number];
    thread->visited_low = thread->visited_high = 0;
    thread->sections = 0;
    thread->handlers = thread->interrupted = 0;
    thread->call = SIGNALS_GOES_ON;
    thread->window = 0;
    thread->crash = NULL;
    thread->variables.count = 0;
    thread->destructors.count = 0;
    thread->robust.count = 0;
    thread->cleanups = NULL;
    thread->times.count = 0;
    thread->look_site = NULL;
    thread->looks = 0;
    memset(&thread->round, 0, sizeof thread->round);
    if (thread->images)
        thread->images->place.low = thread->images->wait.low = NULL;
    thread->policy = thread->priority = 0;
    thread->cpus_set = false;
    thread->stack_wanted = thread->guard_wanted = 0;
    snprintf(thread->name, sizeof thread->name, "%s", program_invocation_short_name);
    thread->cancel_state = thread->cancel_type = 0; /* enabled, deferred */
    thread->leaving = false;
    memset(thread->keys, 0, thread->keys_used * sizeof *thread->keys);
    thread->keys_used = 0;
}

static void site_copy(struct session_site *to, const struct raddle_site *site)
{
    if (!site || to->file)
        return;
    to->file = native_text(site->file);
    to->function = native_text(site->function);
    to->line = site->line;
    to->column = site->column;
}

struct native_thread *native_new_thread(void *(*start)(void *), void *argument)
{
    uint32_t number = thread_number(native.current->number, ++native.current->children);
    struct native_thread *thread = thread_slot(number);

    thread_reset(thread);
    signals_inherit(number);
    if (start)
        external_start(start);
    thread->start = start;
    thread->argument = argument;
    native.phase += native.alone;
    native.alone = false;
    native.unjoined++;
    races_note_thread(number);
    site_copy(&native.session->threads.at[number].created, native_site());
    if (native.session->job == SESSION_REPLAY && start) {
        uint64_t offset;

        native.session->threads.at[number].name =
            native_text(symbols_find((uint64_t)(uintptr_t)start, &offset));
    }
    return thread;
}

/* ---- what is a thread's own */

void *native_private_memory(size_t size, size_t align)
{
    struct native_thread *thread = native.current;
    size_t start = (thread->private_used + align - 1) & ~(align - 1);
    void *at;

    if (start + size <= NATIVE_PRIVATE_SIZE) {
        thread->private_used = start + size;
        at = thread->stack.low + thread->stack.size - NATIVE_PRIVATE_SIZE + start;
        return memset(at, 0, size);
    }
    at = heap_alloc(thread->number, size, align, NULL);
    CHECK(at, "no memory for a thread-local variable");
    return at;
}

bool native_has_ended(uint32_t number)
{
    const struct native_thread *thread =
        number < native.threads.count ? native.threads.at[number] : NULL;

    return thread && thread->agent != AGENT_NONE &&
           native.world->threads.at[thread->agent].status == THREAD_EXITED;
}

void native_share_stack(uint32_t number)
{
    struct session *session = native.session;

    while (session->shared_stacks.count <= number)
        vec_push(&session->arena, &session->shared_stacks, false);
    if (session->shared_stacks.at[number])
        return;
    session->shared_stacks.at[number] = true;
    session->begin_anew = true;
    native.threads.at[number]->stack_shared = true;
}

/* ---- the target */

static struct native_thread *thread_of_agent(agent_id agent)
{
    return native.threads.at[native.world->agents.at[agent].key];
}

static void native_start(struct target *target, struct world *world, agent_id agent,
                         struct op *next)
{
    struct native_thread *thread = thread_of_agent(agent);

    (void)target;
    (void)world;
    thread->stack = stack_get_sized(thread->number, thread->stack_wanted
                                                        ? thread->stack_wanted + NATIVE_PRIVATE_SIZE
                                                        : STACK_SIZE);
    thread->private_used = 0;
    CHECK(thread->stack.low, "no stack for thread %u", thread->number);
    fiber_prepare(&thread->fiber, thread->stack.low, thread->stack.size - NATIVE_PRIVATE_SIZE,
                  thread_entry, thread);
    if (fiber_threads)
        native_debug_start(thread);
    thread_run(thread, next);
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
    struct native_thread *thread;

    (void)target;
    /* a wait for the end of a thread may be one for a request or a signal, too, or a mere look */
    world->merges_lives =
        !native.session->cancels && !native.session->tries_to_join && !signals_sent;
    world->watch = native.detects ? &sync_watch : NULL;
    detect_restart();
    races_restart();
    plain_restart();
    files_restart();
    image_restart();
    heap_restart();
    if (!state_restart())
        native_unsupported("descriptors, signals or limits that cannot be brought back");
    exit_handlers_restart();
    signals_restart();
    library_restart();
    for (uint32_t i = 0; i < native.threads.count; i++)
        native.threads.at[i]->agent = AGENT_NONE;
    native.alone = true;
    native.phase = 0;
    native.unjoined = 0;
    native.default_attributes = false;
    native.refused = NULL;
    native.keys = native.keys_of_start;
    memset(native.key_free, 0, native.keys_of_start * sizeof *native.key_free);
    __raddle_frames = NULL;
    calls_restart();
    named_restart();
    futex_restart();
    thread = thread_slot(thread_number(0, 0));
    thread_reset(thread);
    thread->start = NULL;
    world_start(world, thread->agent);
}

static const struct target_ops native_ops = {native_restart, native_start, native_resume};

void native_open(struct session *session)
{
    struct arena *arena = &session->arena;

    native.base.ops = &native_ops;
    native.session = session;
    native.world = &session->explorer.world;
    plain_open();
    races_open();
    session->probe = (struct session_probe){
        .frames = (uint64_t)(uintptr_t)&__raddle_frames,
        .site_in_frame = offsetof(struct raddle_frame, site),
        .file_in_site = offsetof(struct raddle_site, file),
        .line_in_site = offsetof(struct raddle_site, line),
    };
    map_open(&native.thread_numbers, arena);
    map_open(&native.variable_numbers, arena);
    external_open();
    for (uint32_t i = 0; i < session->threads.count; i++)
        map_add(&native.thread_numbers,
                thread_name(session->threads.at[i].parent, session->threads.at[i].rank), i);
}

void native_unsupported(const char *name)
{
    struct session *session = native.session;

    if (!session || !native.started)
        return;
    for (uint32_t i = 0; i < session->unsupported.count; i++)
        if (strcmp(session->unsupported.at[i], name) == 0)
            return;
    vec_push(&session->arena, &session->unsupported, native_text(name));
}

void native_refused(const char *name)
{
    native_unsupported(name);
    if (!native.refused)
        native.refused = name;
}
