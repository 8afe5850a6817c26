#include "model/world.h"

#include <string.h>

#include "base/check.h"
#include "model/buffer.h"
#include "model/effect.h"
#include "model/lives.h"
#include "model/object.h"
#include "model/sum.h"
#include "model/touch.h"

const char *const bug_kind_names[BUG_KIND_COUNT] = {
    "none",   "assertion", "deadlock", "misuse",    "spin",           "crash",
    "memory", "leak",      "exit",     "data-race", "nondeterminism", "lock-order"};

void world_open(struct world *world, struct arena *arena, struct target *target,
                const struct memory_ops *memory, uint32_t buffer_bound)
{
    memset(world, 0, sizeof *world);
    world->arena = arena;
    world->target = target;
    if (target) { /* tests of what needs no program have none */
        world->base = target->base;
        world->extent = target->extent;
    }
    world->memory = memory;
    world->buffer_bound = buffer_bound;
    world->ran = AGENT_NONE;
    map_open(&world->agent_by_key, arena);
    map_open(&world->location_by_key, arena);
    waiters_open(&world->waiters, arena);
    channel_lists_open(&world->channel_lists, arena);
}

void world_restart(struct world *world)
{
    for (uint32_t i = 0; i < world->active.count; i++)
        world->threads.at[world->active.at[i]].status = THREAD_ABSENT;
    world->active.count = world->together.count = world->needs.count = 0;
    world->generation++;
    world->now = EVENT_NONE;
    world->acting = AGENT_NONE;
    world->sum = (struct fingerprint){0, 0};
    world->replay = NULL;
    world->follows = false;
    world->target->ops->restart(world->target, world);
}

agent_id world_thread(struct world *world, uint64_t key)
{
    uint64_t mixed = mix64(key) & ~(uint64_t)1; /* buffers have odd keys, see buffer.c */
    agent_id agent = map_get(&world->agent_by_key, mixed);

    if (agent == MAP_ABSENT) {
        agent = world->agents.count;
        vec_push(world->arena, &world->agents, (struct agent){.thread = agent, .key = key});
        vec_push(world->arena, &world->threads, (struct thread){.status = THREAD_ABSENT});
        vec_push(world->arena, &world->buffers, (struct buffer){.next = AGENT_NONE});
        map_add(&world->agent_by_key, mixed, agent);
    }
    CHECK(world->agents.at[agent].key == key, "two threads with one key");
    return agent;
}

bool world_buffer_store(struct world *world, agent_id thread, const struct op *op)
{
    /* Under a bound each store is a visible step: whether it finds room depends on the flushes. */
    if (op->order == ORDER_SEQ_CST || !world_is_buffered(world) || world->in_section ||
        world->buffer_bound != BUFFER_UNBOUNDED)
        return false;
    buffer_push(world, thread, op);
    return true;
}

const struct op *world_pending_flush(struct world *world, agent_id agent, struct op *space)
{
    const struct buffered_store *store = buffer_head(world, agent);

    if (!store)
        return NULL;
    *space = (struct op){.kind = OP_FLUSH,
                         .size = store->size,
                         .addr = store->addr,
                         .value = store->number,
                         .expect = store->value,
                         .variant = store->object,
                         .site = store->site};
    return space;
}

static bool op_drains(const struct op *op)
{
    if (op->kind == OP_STORE || op->kind == OP_FENCE)
        return op->order == ORDER_SEQ_CST ||
               (op->kind == OP_FENCE && op->variant == OP_VARIANT_LOCKED);
    if (op_infos[op->kind].object > OBJECT_CELL && op->size & (OBJECT_LOOK | OBJECT_QUIET))
        return false;
    return op_infos[op->kind].flags & OP_DRAIN;
}

/* Whether it goes to a buffer, and so needs room there. */
static bool op_is_buffered(const struct world *world, const struct op *op)
{
    return (op->kind == OP_STORE || op->kind == OP_SPIN_UNLOCK) && op->order != ORDER_SEQ_CST &&
           world_is_buffered(world);
}

bool world_ready(struct world *world, agent_id agent)
{
    const struct thread *thread = &world->threads.at[agent];
    const struct op *op = &thread->pending;

    if (world->agents.at[agent].is_buffer)
        return buffer_can_flush(world, agent);
    if (thread->status != THREAD_RUNNING)
        return false;
    if (thread->waiting > 0 && op_drains(op))
        return false;
    if (op->kind == OP_COND_RELOCK || op->kind == OP_BARRIER_LEAVE)
        return thread->woken;
    if (op_is_buffered(world, op))
        return buffer_has_room(world, agent, op->addr);
    return true;
}

bool world_enabled(struct world *world, agent_id agent)
{
    const struct op *op = &world->threads.at[agent].pending;
    struct footprint footprint;

    if (!world_ready(world, agent))
        return false;
    if (world->agents.at[agent].is_buffer || !op_may_wait(op))
        return true;
    return op_touch(world, &view_now, agent, op, &footprint, NULL) != TOUCH_DISABLED;
}

void world_outcomes(struct world *world, agent_id agent, outcome_vec *outcomes)
{
    struct op space;

    op_outcomes(world, &view_now, agent, world_pending(world, agent, &space), outcomes);
}

void world_causes(struct world *world, agent_id agent, event_vec *causes)
{
    const struct thread *thread = &world->threads.at[agent];
    const struct op *op = &thread->pending;
    event_id room;

    if (world->agents.at[agent].is_buffer) {
        buffer_flush_causes(world, agent, causes);
        return;
    }
    if (thread->cause != EVENT_NONE)
        vec_push(world->arena, causes, thread->cause);
    if (thread->needs != NEED_NONE || op->kind == OP_THREAD_JOIN)
        life_causes(world, agent, causes);
    for (uint32_t i = 0; op->kind == OP_BARRIER_LEAVE && i < thread->together_count; i++)
        vec_push(world->arena, causes, world->together.at[thread->together_first + i]);
    if (!world_is_buffered(world))
        return;
    if (op_drains(op)) {
        buffer_drain_causes(world, agent, causes);
    } else if (op_is_buffered(world, op)) {
        room = buffer_room_cause(world, agent, op->addr);
        if (room != EVENT_NONE)
            vec_push(world->arena, causes, room);
    }
}

/* ---- atomic sections */

static void section_note(struct world *world, const struct access *access)
{
    struct step *step = &world->step;

    for (uint32_t i = 0; i < step->section.count; i++) {
        struct access *seen = &step->section.at[i].access;

        if (seen->loc != access->loc)
            continue;
        seen->bytes |= access->bytes;
        if (access->mode != ACCESS_READ)
            seen->mode = ACCESS_WRITE;
        return;
    }
    vec_push(world->arena, &step->section,
             (struct section_access){*access, world_state(world, access->loc)});
    if (access->mode != ACCESS_READ) /* several additions could not be undone */
        vec_last(&step->section).access.mode = ACCESS_WRITE;
}

/* What must not be in a section: it would have to wait, or to be tried several times. */
static bool section_forbids(const struct op *op, enum touch touch)
{
    return touch == TOUCH_DISABLED || op->kind == OP_CHOOSE || op->kind == OP_COND_WAIT ||
           op->kind == OP_COND_TIMEDWAIT || op->kind == OP_COND_SIGNAL ||
           op->kind == OP_BARRIER_WAIT || op->kind == OP_THREAD_EXIT;
}

/* Whether a thread has it that was stopped for good: a wait for that says nothing about the program. */
static bool is_held_for_ever(struct world *world, const struct op *op)
{
    uint8_t kind = op_infos[op->kind].object;
    uint64_t state = 0;
    uint32_t holder;

    if (kind == OBJECT_MUTEX || kind == OBJECT_SPIN || kind == OBJECT_RWLOCK)
        state = world_state(world, world_location(world, kind, op->addr));
    holder = kind == OBJECT_RWLOCK ? (uint32_t)(rwlock_writer(state) >> 32) : lock_holder(state);
    return holder > 0 && world->threads.at[holder - 1].status == THREAD_HALTED;
}

/* An assumption has failed in the section, so it cannot have begun: what it did is undone, and it has but looked. */
static void section_undo(struct world *world)
{
    struct step *step = &world->step;

    for (uint32_t i = 0; i < step->section.count; i++) {
        struct section_access *touched = &step->section.at[i];
        const struct location *location = &world->locations.at[touched->access.loc];

        if (touched->access.mode == ACCESS_READ)
            continue;
        touched->access.mode = ACCESS_READ;
        if (location->kind != OBJECT_CELL) {
            world_object_set(world, location->kind, location->addr, touched->before);
            continue;
        }
        for (unsigned k = 0; k < 8; k++)
            if (touched->access.bytes >> k & 1)
                world_memory_set(world, location->addr + k, (const char *)&touched->before + k, 1);
    }
}

/* Runs a thread from the begin of a section, which it has just passed, to its end. */
static enum sequel section_run(struct world *world, agent_id agent)
{
    enum sequel sequel = SEQUEL_RESUME;

    world->in_section = true;
    while (sequel == SEQUEL_RESUME) {
        struct footprint footprint;
        enum touch touch;
        struct op next;

        world->target->ops->resume(world->target, world, agent, world->step.result, &next);
        if (next.kind == OP_SECTION_END)
            break;
        next.order = ORDER_SEQ_CST;
        world->threads.at[agent].pending = next;
        pending_complete(world, agent);
        touch = op_touch(world, &view_now, agent, &world->threads.at[agent].pending, &footprint,
                         &world->step.rule);
        for (uint32_t i = 0; i < footprint.count; i++)
            section_note(world, &footprint.at[i]);
        if (touch == TOUCH_DISABLED && is_held_for_ever(world, &next)) {
            world->step.assume_failed = true;
            sequel = SEQUEL_HALT;
            break;
        }
        if (section_forbids(&next, touch)) {
            world->step.rule = "a thread waits or chooses inside an atomic section";
            touch = TOUCH_MISUSE;
        }
        sequel = op_effect(world, agent, touch, 0);
    }
    if (world->step.assume_failed)
        section_undo(world);
    world->in_section = false;
    world->step.result = 0;
    return sequel;
}

/* What the pending operation of a thread would do now. */
static enum touch pending_touch(struct world *world, agent_id agent)
{
    struct footprint footprint; /* large: not to be cleared */
    enum touch touch = op_touch(world, &view_now, agent, &world->threads.at[agent].pending,
                                &footprint, &world->step.rule);

    CHECK(touch != TOUCH_DISABLED, "agent %u is disabled", agent);
    return touch;
}

/* Carries that out. */
static enum sequel thread_does(struct world *world, agent_id agent, outcome_id outcome,
                               enum touch touch)
{
    struct thread *thread = &world->threads.at[agent];

    world->step.touch = (uint8_t)touch;
    thread->cause = EVENT_NONE;
    thread->needs = NEED_NONE;
    if (op_drains(&thread->pending))
        thread->drained = thread->stores;
    return op_effect(world, agent, touch, outcome);
}

/* The same, and lets the target run up to the next one, unless that is fatal. In a replay, others may have gone on when it comes back. */
static void thread_step(struct world *world, agent_id agent, outcome_id outcome, bool fatal,
                        enum touch touch)
{
    enum sequel sequel = thread_does(world, agent, outcome, touch);
    struct op next;

    if (world->threads.at[agent].pending.kind == OP_SECTION_BEGIN && !fatal)
        sequel = section_run(world, agent);
    switch (fatal ? SEQUEL_HALT : sequel) {
    case SEQUEL_RESUME:
        world->follows = world->replay && world->target->follows && !world_is_buffered(world);
        world->target->ops->resume(world->target, world, agent, world->step.result, &next);
        world->follows = false;
        agent = world->acting;
        thread_arrive(world, agent, &next);
        break;
    case SEQUEL_WAIT:
        pending_complete(world, agent);
        break;
    case SEQUEL_EXIT:
        world->threads.at[agent].status = THREAD_EXITED;
        break;
    case SEQUEL_HALT:
        world->threads.at[agent].status = THREAD_HALTED;
        break;
    }
    world->threads.at[agent].last = world->now;
}

static void step_clear(struct world *world, agent_id agent, event_id now)
{
    world->now = now;
    world->acting = agent;
    world->step.result = 0;
    world->step.bug = BUG_NONE;
    world->step.touch = 0;
    world->step.assume_failed = false;
    world->step.rule = NULL;
    world->step.withdrawn.count = 0;
    world->step.section.count = 0;
}

/* Whether coming to that operation is more than having it pending (lives.h). */
static bool is_of_life(const struct op *op)
{
    return op_infos[op->kind].object == OBJECT_THREAD;
}

agent_id world_follow(struct world *world, const struct op *next)
{
    struct thread *thread = &world->threads.at[world->acting];
    enum sequel sequel;
    struct again step;

    if (!world->follows || is_of_life(next))
        return AGENT_NONE;
    /* as thread_step ends, and will once more if nobody follows */
    thread->pending = *next;
    pending_complete(world, world->acting);
    thread->last = world->now;
    if (!world->replay->next(world->replay, &step))
        return AGENT_NONE;
    step_clear(world, step.agent, step.event);
    SLOW_CHECK(pending_touch(world, step.agent) == step.touch, "agent %u touches something else",
               step.agent);
    sequel = thread_does(world, step.agent, step.outcome, step.touch);
    CHECK(sequel == SEQUEL_RESUME, "agent %u does not go on", step.agent);
    return step.agent;
}

void world_step_fatal(struct world *world, agent_id agent, outcome_id outcome, event_id now)
{
    step_clear(world, agent, now);
    thread_step(world, agent, outcome, true, pending_touch(world, agent));
}

void world_step(struct world *world, agent_id agent, outcome_id outcome, event_id now)
{
    step_clear(world, agent, now);
    if (world->agents.at[agent].is_buffer)
        buffer_flush(world, agent, now);
    else
        thread_step(world, agent, outcome, false, pending_touch(world, agent));
}

/* Of a misuse, the rule is to be told, too. */
void world_step_again(struct world *world, agent_id agent, outcome_id outcome, event_id now,
                      uint8_t touch)
{
    if (touch == TOUCH_DISABLED || touch == TOUCH_MISUSE) {
        world_step(world, agent, outcome, now);
        return;
    }
    step_clear(world, agent, now);
    SLOW_CHECK(pending_touch(world, agent) == touch, "agent %u touches something else", agent);
    thread_step(world, agent, outcome, false, touch);
}

loc_id world_location_find(struct world *world, enum object_kind kind, uint64_t addr, uint64_t key)
{
    loc_id loc = map_get(&world->location_by_key, key);
    if (loc == MAP_ABSENT) {
        loc = world->locations.count;
        vec_push(world->arena, &world->locations, (struct location){.addr = addr, .kind = kind});
        map_add(&world->location_by_key, key, loc);
    }
    *location_hint(world, key) = (struct location_hint){key, loc};
    return loc;
}

void world_writers(const struct world *world, loc_id loc, loc_id slots[8])
{
    if (loc < world->writers.count && world->writers.at[loc].generation == world->generation)
        memcpy(slots, world->writers.at[loc].slots, sizeof world->writers.at[loc].slots);
    else
        memset(slots, 0xff, 8 * sizeof *slots); /* LOC_NONE */
}

static struct word_writers *writers_at(struct world *world, loc_id loc)
{
    struct word_writers *writers;

    while (world->writers.count <= loc)
        vec_push(world->arena, &world->writers, (struct word_writers){0});
    writers = &world->writers.at[loc];
    if (writers->generation != world->generation) {
        writers->generation = world->generation;
        for (unsigned i = 0; i < 8; i++)
            writers->slots[i] = LOC_NONE;
    }
    return writers;
}

void world_writer_set(struct world *world, uint64_t addr, unsigned size, loc_id slot)
{
    struct word_writers *writers = NULL;

    if (!world_is_buffered(world))
        return;
    for (unsigned k = 0; k < size; k++) {
        unsigned byte = (addr + k) % 8;

        if (!writers || byte == 0) /* the next word */
            writers = writers_at(world, world_location(world, OBJECT_CELL, addr + k));
        if (world->sums)
            sum_writer(world, addr + k, writers->slots[byte], slot);
        writers->slots[byte] = slot;
    }
}

void world_object_set(struct world *world, enum object_kind kind, uint64_t addr, uint64_t state)
{
    loc_id loc = world_location(world, kind, addr); /* may move the table */

    if (world->sums)
        sum_object(world, loc, world_state(world, loc), state);
    world->locations.at[loc].state = state;
    world->locations.at[loc].generation = world->generation;
}

/* The eight bytes around an address, as a number. */
static uint64_t word_at(uint64_t addr)
{
    uint64_t word;

    memcpy(&word, (const void *)(uintptr_t)(addr & ~(uint64_t)7), sizeof word);
    return word;
}

void world_memory_set(struct world *world, uint64_t addr, const void *bytes, unsigned size)
{
    uint64_t first = addr & ~(uint64_t)7, words = (addr + size - first + 7) / 8, before[3];

    for (uint64_t i = 0; world->sums && i < words; i++)
        before[i] = word_at(first + 8 * i);
    memcpy((void *)(uintptr_t)addr, bytes, size);
    for (uint64_t i = 0; world->sums && i < words; i++)
        sum_memory(world, first + 8 * i, before[i], word_at(first + 8 * i));
}
