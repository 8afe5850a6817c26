#include "runtime/job/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/buffer.h"
#include "model/object.h"
#include "runtime/core/heap.h"
#include "runtime/core/symbols.h"
#include "runtime/report/names.h"

/* More than anybody reads: a run that touches more is shown without the rest. */
#define CELLS_MAX   1024
#define CHANGES_MAX 500000
#define FRAMES_MAX  64
#define TEXT_MAX    400

/* What a cell held after the step before. */
struct held {
    session_text text; /* NULL: not looked at yet */
    cell_value value;  /* memory: its bytes; objects: their state */
    uint64_t stuck;    /* objects: `record.stuck` */
    bool is_global;    /* memory that is always there */
    bool was_there;    /* memory: could be read */
};

/* One replay. */
static struct {
    bool open;
    struct map frames;     /* hash of (site, up) -> index into session.frames */
    struct map cells;      /* hash of (address, size, kind) -> index into session.cells */
    VEC(struct held) held; /* by cell */
    uint64_t stuck;        /* hash of which threads wait for which objects */
} record;                  /* outlives a run: it is about all that the process does */

/* ---- stacks */

static struct session_site site_copy(const struct raddle_site *site)
{
    if (!site)
        return (struct session_site){0};
    return (struct session_site){.file = native_text(site->file),
                                 .function = native_text(site->function),
                                 .line = site->line,
                                 .column = site->column};
}

/* Equal stacks share their frames. */
static uint32_t frame_of(const struct raddle_site *site, uint32_t up)
{
    struct session *session = native.session;
    uint64_t key = mix64((uint64_t)(uintptr_t)site ^ mix64(up + 1));
    uint32_t index = map_get(&record.frames, key);

    if (index != MAP_ABSENT)
        return index + 1;
    map_add(&record.frames, key, session->frames.count);
    vec_push(&session->arena, &session->frames,
             (struct session_frame){.up = up, .site = site_copy(site)});
    return session->frames.count;
}

static struct native_thread *thread_of(agent_id agent)
{
    return native.threads.at[native.world->agents.at[agent].key];
}

/* The program may have written over its own stack: only what can be a frame is believed. When one function became part of another, the caller's
 * may lie below. */
static const struct raddle_frame *frame_up(const struct native_thread *thread,
                                           const struct raddle_frame *frame)
{
    const struct raddle_frame *up = frame->up;
    uintptr_t low = (uintptr_t)thread->stack.low;

    if (!up || up == frame || (uintptr_t)up % sizeof(void *) ||
        (uintptr_t)up - low > thread->stack.size - sizeof *up ||
        !symbols_in_section((uint64_t)(uintptr_t)up->site, "raddle_sites"))
        return NULL;
    return up;
}

uint32_t record_callers(const struct native_thread *thread, const struct raddle_frame *frame)
{
    const struct raddle_site *sites[FRAMES_MAX];
    uint32_t count = 0, stack = 0;

    while (frame && count < FRAMES_MAX && (frame = frame_up(thread, frame)))
        sites[count++] = frame->site;
    while (count > 0)
        stack = frame_of(sites[--count], stack);
    return stack;
}

uint32_t record_stack(agent_id agent)
{
    const struct native_thread *thread;

    if (!record.open || native.world->agents.at[agent].is_buffer)
        return 0;
    thread = thread_of(agent);
    return record_callers(thread, thread->frames);
}

/* ---- what cells hold */

/* Under TSO and PSO: the stores of a thread that wait, oldest first. The cell's address is the thread's agent. */
static void buffer_text(agent_id agent, char *text, size_t size)
{
    const struct world *world = native.world;
    uint32_t from = 0, best;
    size_t used = 0;

    text[0] = '\0';
    do {
        const struct buffered_store *next = NULL;

        best = UINT32_MAX;
        for (agent_id b = world->threads.at[agent].buffers; b != AGENT_NONE;
             b = world->buffers.at[b].next) {
            const struct buffer *buffer = &world->buffers.at[b];

            for (uint32_t i = buffer->head; i < buffer->stores.count; i++)
                if (buffer->stores.at[i].flushed == EVENT_NONE &&
                    buffer->stores.at[i].number >= from && buffer->stores.at[i].number < best) {
                    next = &buffer->stores.at[i];
                    best = next->number;
                }
        }
        if (next && used + 80 < size) {
            used += (size_t)snprintf(text + used, size - used, "%s", used ? ", " : "");
            used += names_address(next->addr, next->size, NULL, text + used, size - used);
            used += (size_t)snprintf(text + used, size - used, " = ");
            used += names_value(next->addr, next->value, next->size, text + used, size - used);
        }
        from = best + 1;
    } while (best != UINT32_MAX && used + 80 < size);
    if (!used)
        snprintf(text, size, "empty");
}

/* Why the cell cannot be read now; NULL if it can. */
static const char *memory_problem(uint64_t addr)
{
    const struct heap_block *block = heap_find((const void *)(uintptr_t)addr);
    uint32_t owner;

    if (block)
        return block->state == HEAP_LIVE ? NULL : "freed";
    if (native_owner((void *)(uintptr_t)addr, &owner) == STACK_INSIDE &&
        owner < native.threads.count && native.threads.at[owner]->agent != AGENT_NONE)
        return NULL;
    return "not there";
}

/* Memory: its text, only if it is not what it was. */
static bool memory_text(const struct session_cell *cell, struct held *held, char *text, size_t size)
{
    const char *problem = held->is_global ? NULL : memory_problem(cell->addr);
    cell_value value = 0;

    if (problem) {
        held->was_there = false;
        snprintf(text, size, "%s", problem);
        return true;
    }
    memcpy(&value, (const void *)(uintptr_t)cell->addr, cell->size);
    if (held->was_there && held->value == value)
        return false;
    held->was_there = true;
    held->value = value;
    names_value(cell->addr, value, cell->size, text, size);
    return true;
}

/* The text of a cell; false if it is certainly what it was. */
static bool cell_text(const struct session_cell *cell, struct held *held, char *text, size_t size)
{
    uint64_t state;

    if (cell->kind == OBJECT_CELL)
        return memory_text(cell, held, text, size);
    if (cell->kind == OBJECT_SLOT) {
        buffer_text((agent_id)cell->addr, text, size);
        return true;
    }
    state = world_state(native.world, world_location(native.world, cell->kind, cell->addr));
    if (held->text && held->value == state && held->stuck == record.stuck)
        return false;
    held->value = state;
    held->stuck = record.stuck;
    names_state(cell->kind, cell->addr, text, size);
    return true;
}

/* Names of heap blocks are known only when they are there. */
static void cell_name(struct session_cell *cell, const struct op *op)
{
    const struct raddle_site *site = op ? (const struct raddle_site *)(uintptr_t)op->site : NULL;
    char text[TEXT_MAX];

    if (cell->name || cell->kind == OBJECT_SLOT)
        return;
    names_address(cell->addr, cell->size ? cell->size : 1, site, text, sizeof text);
    if (cell->kind == OBJECT_CELL && site && site->what && text[0] == 's' &&
        strncmp(text, "stack of", 8) == 0) {
        size_t length = strlen(text);

        snprintf(text + length, sizeof text - length, " as %s", site->what);
    }
    cell->name = native_text(text);
}

static uint32_t cell_index(const struct session_cell *cell)
{
    struct session *session = native.session;
    uint64_t offset, key = mix64(cell->addr ^ mix64((uint64_t)cell->size << 8 | cell->kind));
    uint32_t index = map_get(&record.cells, key);

    if (index != MAP_ABSENT || record.cells.count == CELLS_MAX)
        return index;
    index = session->cells.count;
    map_add(&record.cells, key, index);
    vec_push(&session->arena, &session->cells, *cell);
    vec_push(&native.memory, &record.held, (struct held){0});
    vec_last(&record.held).is_global =
        cell->kind == OBJECT_CELL && symbols_find(cell->addr, &offset);
    return index;
}

static uint64_t stuck_hash(void)
{
    struct world *world = native.world;
    uint64_t hash = 0;

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        const struct thread *thread = &world->threads.at[agent];

        if (!world->agents.at[agent].is_buffer && thread->status == THREAD_RUNNING &&
            op_may_wait(&thread->pending) && !world_enabled(world, agent))
            hash = mix64(hash ^ agent ^ mix64(thread->pending.addr));
    }
    return hash;
}

/* Notes the cell if it holds something else than after the step before. */
static void cell_compare(uint32_t index)
{
    struct session *session = native.session;
    struct held *held = &record.held.at[index];
    char text[TEXT_MAX];

    if (!cell_text(&session->cells.at[index], held, text, sizeof text) ||
        (held->text && strcmp(held->text, text) == 0) || session->changes.count >= CHANGES_MAX)
        return;
    held->text = native_text(text);
    vec_push(
        &session->arena, &session->changes,
        (struct session_change){.step = session->steps.count, .cell = index, .text = held->text});
}

static void cells_compare(bool memory, bool objects)
{
    const struct session *session = native.session;

    record.stuck = stuck_hash();
    for (uint32_t i = 0; i < session->cells.count; i++)
        if (session->cells.at[i].kind == OBJECT_CELL ? memory : objects)
            cell_compare(i);
}

void record_written(const struct op *op, cell_value value, uint32_t step)
{
    struct session *session = native.session;
    struct session_cell cell = {.addr = op->addr, .kind = OBJECT_CELL, .size = op->size};
    uint32_t index = cell_index(&cell);
    char text[TEXT_MAX];
    struct held *held;

    if (index == MAP_ABSENT)
        return;
    cell_name(&session->cells.at[index], op);
    held = &record.held.at[index];
    if (!held->is_global && memory_problem(op->addr))
        return; /* freed, and used all the same */
    if ((held->was_there && held->value == value) || session->changes.count == CHANGES_MAX)
        return;
    names_value(op->addr, value, op->size, text, sizeof text);
    held->was_there = true;
    held->value = value;
    held->text = native_text(text);
    vec_push(&session->arena, &session->changes,
             (struct session_change){.step = step, .cell = index, .text = held->text});
}

static void cell_of_op(const struct op *op)
{
    struct session_cell cell = {
        .addr = op->addr, .kind = op_infos[op->kind].object, .size = op->size};
    uint32_t index;

    if (cell.kind == OBJECT_NONE || cell.kind == OBJECT_THREAD || op->addr == 0)
        return;
    if (cell.kind != OBJECT_CELL)
        cell.size = 0;
    index = cell_index(&cell);
    if (index == MAP_ABSENT)
        return;
    cell_name(&native.session->cells.at[index], op);
    cell_compare(index);
}

static void cell_of_buffer(agent_id agent)
{
    struct session_cell cell = {.addr = agent, .kind = OBJECT_SLOT};
    char text[40];
    uint32_t index;

    snprintf(text, sizeof text, "store buffer of T%" PRIu32, thread_of(agent)->number);
    index = cell_index(&cell);
    if (index != MAP_ABSENT && !native.session->cells.at[index].name)
        native.session->cells.at[index].name = native_text(text);
}

/* ---- for the replay */

void record_open(void)
{
    struct session *session = native.session;
    uint32_t given = session->cells.count;
    struct session_cell *cells = session->cells.at;

    if (session->job != SESSION_REPLAY)
        return;
    record.open = true;
    map_open(&record.frames, &native.memory);
    map_open(&record.cells, &native.memory);
    session->cells.at = NULL;
    session->cells.count = session->cells.room = 0;
    for (uint32_t i = 0; i < given; i++)
        cell_index(&cells[i]);
    cells_compare(true, false);
    record_plain_open();
}

void record_start(void)
{
    if (!record.open)
        return;
    cells_compare(false, true);
    record_plain_take();
    cells_compare(true, true);
}

void record_step(const struct op *op)
{
    const struct world *world = native.world;

    if (!record.open)
        return;
    cell_of_op(op);
    for (uint32_t i = 0; i < world->active.count && world_is_buffered(world); i++)
        if (!world->agents.at[world->active.at[i]].is_buffer)
            cell_of_buffer(world->active.at[i]);
    cells_compare(false, true); /* what the step did, before what its thread did afterwards */
    record_plain_take();
    cells_compare(true, true);
}

/* The thread that keeps it from going on: 1 + its number, or 0. */
static uint32_t blocker_of(const struct op *op)
{
    struct world *world = native.world;
    uint8_t kind = op_infos[op->kind].object;
    uint64_t state;

    if (op->kind == OP_THREAD_JOIN)
        return thread_of((agent_id)op->addr)->number + 1;
    if (kind != OBJECT_MUTEX && kind != OBJECT_SPIN && kind != OBJECT_RWLOCK)
        return 0;
    state = world_state(world, world_location(world, kind, op->addr)) & OBJECT_USE;
    if (kind == OBJECT_RWLOCK)
        state = rwlock_writer(state) >> 32;
    return (uint32_t)state ? thread_of((uint32_t)state - 1)->number + 1 : 0;
}

void record_waits(void)
{
    struct session *session = native.session;
    const struct world *world = native.world;
    char words[TEXT_MAX], text[TEXT_MAX + 16];

    for (uint32_t i = 0; record.open && i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        const struct thread *thread = &world->threads.at[agent];

        if (world->agents.at[agent].is_buffer || thread->status != THREAD_RUNNING)
            continue;
        names_wait(agent, &thread->pending, words, sizeof words);
        if (strncmp(words, "for ", 4) == 0)
            snprintf(text, sizeof text, "%s", words + 4);
        else
            snprintf(text, sizeof text, "a chance %s", words);
        vec_push(
            &session->arena, &session->waits,
            (struct session_wait){.thread = thread_of(agent)->number,
                                  .on = blocker_of(&thread->pending),
                                  .text = native_text(text),
                                  .site = site_copy((const void *)(uintptr_t)thread->pending.site),
                                  .stack = record_stack(agent)});
    }
}

uint32_t record_step_of(event_id event)
{
    const struct session *session = native.session;
    uint32_t i = 0;

    for (; i + 1 < session->steps.count; i++)
        if (!session->steps.at[i].plain && event-- == 0)
            break;
    return i;
}
