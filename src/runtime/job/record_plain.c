#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/core/heap.h"
#include "runtime/hooks/plain.h"
#include "runtime/hooks/races.h"
#include "runtime/job/record.h"
#include "runtime/report/names.h"

/* In one run. What comes later is left out: nobody reads that many. */
#define PLAIN_MAX 4000

/* An access, from the moment when it was announced to the end of the step. */
struct plain_access {
    uint32_t thread;
    struct op op;
    const struct raddle_site *site;
    uint32_t stack;
    cell_value value; /* read or written */
    const char *call; /* that takes the memory, or NULL */
    bool buffered;    /* a store that has gone into its thread's buffer */
    bool settled;     /* the value of a write is known only when it has been made */
};

static VEC(struct plain_access) accesses; /* outlives a run: a replay is the only one */
static uint32_t taken;                    /* so far; outlives a run: the same */

/* The last write has been made by now: nobody else ran since. */
static void access_settle(void)
{
    struct plain_access *last = accesses.count ? &vec_last(&accesses) : NULL;

    if (!last || last->settled)
        return;
    memcpy(&last->value, (const void *)(uintptr_t)last->op.addr, last->op.size);
    last->settled = true;
}

static bool is_full(void)
{
    return taken + accesses.count >= PLAIN_MAX;
}

/* It is in memory when it is flushed, which is an event; that it was made is none. */
static void store_seen(const struct op *op)
{
    const struct native_thread *thread = native.current;

    access_settle();
    if (is_full()) {
        plain_stored = NULL;
        return;
    }
    vec_push(&native.session->arena, &accesses,
             (struct plain_access){.thread = thread->number,
                                   .op = *op,
                                   .site = (const struct raddle_site *)(uintptr_t)op->site,
                                   .stack = record_callers(thread, __raddle_frames),
                                   .value = op->value,
                                   .buffered = true,
                                   .settled = true});
}

static void access_seen(const struct detect_access *seen, uint64_t addr, size_t size)
{
    const struct native_thread *thread = native.current;
    const struct raddle_frame *frame = __raddle_frames;
    struct plain_access access = {.thread = seen->thread, .settled = true};

    if (!thread || thread->number != seen->thread)
        return;
    access_settle();
    if (is_full()) {
        detector.seen = NULL;
        plain_watch(false);
        return;
    }
    if (seen->atomic)
        return;
    access.site = frame ? frame->site : NULL;
    access.op = (struct op){.kind = seen->writes ? OP_STORE : OP_LOAD,
                            .size = size <= sizeof access.value ? (uint8_t)size : 0,
                            .variant = OP_VARIANT_PLAIN,
                            .addr = addr,
                            .site = (uint64_t)(uintptr_t)access.site};
    access.stack = record_callers(thread, frame);
    access.call = races_call();
    if (access.call)
        access.op.size = 0;
    if (seen->writes)
        access.settled = false;
    else
        memcpy(&access.value, (const void *)(uintptr_t)addr, access.op.size);
    vec_push(&native.memory, &accesses, access);
}

void record_plain_open(void)
{
    plain_stored = store_seen;
    if (!native.detects)
        return;
    detector.seen = access_seen;
    plain_watch(true);
}

/* An access that turned out to be visible is the next event of its thread, and not told twice. */
static bool is_pending(const struct plain_access *access)
{
    const struct world *world = native.world;

    for (uint32_t i = 0; i < world->active.count; i++) {
        const struct thread *thread = &world->threads.at[world->active.at[i]];

        if (!world->agents.at[world->active.at[i]].is_buffer &&
            world->agents.at[world->active.at[i]].key == access->thread)
            return thread->status == THREAD_RUNNING && thread->pending.addr == access->op.addr &&
                   thread->pending.site == access->op.site;
    }
    return false;
}

static void access_add(const struct plain_access *access)
{
    char text[512], object[256];
    struct session *session = native.session;
    const struct raddle_site *site = access->site;
    bool writes = access->op.kind == OP_STORE;
    struct event event = {.op = access->op, .result = access->value};
    struct session_step step = {.plain = true,
                                .choice = {.thread = access->thread},
                                .op = access->op.kind,
                                .order = names_order(&access->op),
                                .buffered = access->buffered,
                                .reads = !writes,
                                .writes = writes,
                                .size = access->op.size,
                                .value = (uint64_t)access->value,
                                .cell = access->op.addr,
                                .stack = access->stack};

    event.op.value = access->value;
    names_object(&event.op, object, sizeof object);
    if (access->call && site && site->what &&
        strcmp(object, site->what) == 0) /* without -g: what is called */
        names_address(access->op.addr, 1, NULL, object, sizeof object);
    if (access->call) {
        snprintf(text, sizeof text, "%s %s", access->call, object);
    } else if (access->op.size) {
        names_step(&event, text, sizeof text);
    } else { /* too large to be one value: a copy */
        snprintf(text, sizeof text, "%s %s", writes ? "store to" : "load from", object);
    }
    step.text = native_text(text);
    step.object = native_text(object);
    if (site)
        step.site = (struct session_site){.file = native_text(site->file),
                                          .function = native_text(site->function),
                                          .line = site->line,
                                          .column = site->column};
    vec_push(&session->arena, &session->steps, step);
    if (access->op.size && !access->buffered)
        record_written(&access->op, access->value, session->steps.count);
}

void record_plain_take(void)
{
    access_settle();
    for (uint32_t i = 0; i < accesses.count; i++)
        if (i + 1 < accesses.count || !is_pending(&accesses.at[i]))
            access_add(&accesses.at[i]);
    taken += accesses.count;
    accesses.count = 0;
}
