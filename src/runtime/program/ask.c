#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "model/object.h"
#include "runtime/core/kernel.h"
#include "runtime/program/debug.h"
#include "runtime/program/memory_bug.h"
#include "runtime/program/native.h"
#include "runtime/program/spin.h"
#include "runtime/program/streams.h"

/* How a thread of the program asks the engine for an operation, and how it ends. */

/* What instrumented code and the runtime share. Neither is state: the frames belong to the thread that runs, and the
 * rest is derived from what the detector knows. */
INTERPOSE struct raddle_frame *__raddle_frames; /* outlives a run: set whenever a thread runs */

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

struct session_site native_session_site(const struct raddle_site *site)
{
    if (!site)
        return (struct session_site){0};
    return (struct session_site){.file = native_text(site->file),
                                 .function = native_text(site->function),
                                 .what = native_text(site->what),
                                 .line = site->line,
                                 .column = site->column};
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

/* An object in a block that was freed. Looked at before the operation, and again after it. */
static void object_check(const struct op *op)
{
    uint8_t object = op_infos[op->kind].object;

    if (object > OBJECT_CELL && object < OBJECT_THREAD) {
        memory_check_object((const void *)(uintptr_t)op->addr, 1, true);
        heap_note_object((const void *)(uintptr_t)op->addr);
    }
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
        memory_check_object((const void *)(uintptr_t)op->mutex, 1, true);
    loc = world_location(native.world, object, op->addr);
    if (!(world_state(native.world, loc) & OBJECT_DESTROYED))
        object_check(op);
}

/* Lets the engine have its turn; in a replay, whoever is known to come next, which may be this thread itself. */
static void give_way(struct native_thread *thread)
{
    struct fiber *to = &native.engine;
    struct native_thread *next;

    if (__builtin_expect(fiber_threads, 0)) {
        native_debug_ask(thread);
        return;
    }
    if (native.world->follows && (next = fiber_borrow(&native.engine, native.follow)) != NULL)
        to = &next->fiber;
    if (to != &thread->fiber)
        fiber_switch(&thread->fiber, to);
}

cell_value native_hand_over(const struct op *op)
{
    struct native_thread *thread = native.current;
    int error = errno;

    object_check(op);
    spin_settle();
    if (__builtin_expect(spin_of(thread)->probe.on, 0) &&
        probe_does(&spin_of(thread)->probe, op, &thread->result)) {
        spin_after(op, thread->result);
        return thread->result;
    }
    thread->asked = *op;
    thread->error = error;
    thread->frames = __raddle_frames;
    give_way(thread);
    errno = error; /* the engine may have changed it */
    spin_after(op, thread->result);
    spin_wipe();
    object_check_after(op);
    return thread->result;
}

/* ---- the end */

void native_exit_thread(void *returned)
{
    struct op op = native_op(OP_THREAD_EXIT, NULL);

    native.current->returned = returned;
    native.current->leaves = true;
    parts_thread_ends();
    native_ask(&op);
    CHECK(false, "a thread went on after its end");
    __builtin_unreachable();
}

/* Made once for each status: a search may meet it in every run. */
static const char *status_text(unsigned status)
{
    static const char *texts[256]; /* outlives a run: they say the same in every one */
    char text[80];

    if (!texts[status]) {
        snprintf(text, sizeof text, "the program ends with status %u", status);
        texts[status] = native_text(text);
    }
    return texts[status];
}

void native_exit_process(int status)
{
    struct op op = native_op(OP_PROCESS_EXIT, NULL);

    streams_flush();
    if (!op.site) /* main has returned, and its frame is gone */
        op.site = (uint64_t)(uintptr_t)native.main_left;
    op.value = (uint32_t)status & 0xff; /* all that who waits for the process gets */
    op.expect = op.value != 0 && native.session->exit_is_bug;
    if (op.expect)
        native.current->crash = status_text((unsigned)op.value);
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

/* ---- what is not modelled */

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
    char text[200];

    snprintf(text, sizeof text, "%s, which fails here", name);
    native_unsupported(text);
    if (!native.refused)
        native.refused = name;
}
