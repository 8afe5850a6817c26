#include "model/sum.h"

#include "model/await.h"
#include "model/buffer.h"
#include "model/channel.h"
#include "model/object.h"

/* Places of different kinds must not be mixed up: what is no memory has a mark in bits that addresses do not use. */
#define PLACE_OBJECT ((uint64_t)1 << 63)
#define PLACE_WRITER ((uint64_t)1 << 62)

static void sum_change(struct world *world, uint64_t place, uint64_t before, uint64_t after)
{
    if (before == after)
        return;
    fingerprint_minus(&world->sum, fingerprint_at(place, before));
    fingerprint_plus(&world->sum, fingerprint_at(place, after));
}

void sum_memory(struct world *world, uint64_t addr, uint64_t before, uint64_t after)
{
    sum_change(world, addr, before, after);
}

/* Without what only counts how often something has happened. */
static uint64_t object_essence(const struct location *location, uint64_t state)
{
    switch (location->kind) {
    case OBJECT_MUTEX:
    case OBJECT_SPIN:
        return state & ~LOCK_STAMP_MASK;
    case OBJECT_RWLOCK: /* the stamp is an object of its own */
        return location->addr & RWLOCK_STAMP_ADDR ? 0 : state;
    default:
        return state;
    }
}

void sum_object(struct world *world, loc_id loc, uint64_t before, uint64_t after)
{
    const struct location *location = &world->locations.at[loc];

    sum_change(world, PLACE_OBJECT | loc, object_essence(location, before),
               object_essence(location, after));
}

void sum_writer(struct world *world, uint64_t addr, loc_id before, loc_id after)
{
    sum_change(world, PLACE_WRITER | addr, (uint64_t)before + 1, (uint64_t)after + 1);
}

/* What a loop waits for: where it looks, and whether that is as it saw it. */
static void await_add(struct world *world, const struct await *await, struct fingerprint *into)
{
    for (uint32_t i = 0; i < await->count; i++) {
        uint8_t object = await->reads[i].object;
        uint64_t addr = await->reads[i].addr, value = await->reads[i].value, now;
        bool stamp = object != OBJECT_CELL && await->reads[i].size == AWAIT_STAMP;
        loc_id loc = world_location(world, object, stamp ? lock_stamp_addr(object, addr) : addr);

        fingerprint_word(into, addr);
        fingerprint_word(into, (uint64_t)object << 8 | await->reads[i].size);
        if (object == OBJECT_CELL) {
            fingerprint_word(into, value);
            continue;
        }
        now = world_state(world, loc);
        fingerprint_word(into, (stamp ? now & LOCK_STAMP_MASK : now) == value);
        fingerprint_word(into, stamp ? 0 : object_essence(&world->locations.at[loc], value));
    }
}

static bool waits_in_loop(const struct op *op)
{
    return op->kind == OP_COND_TIMEDWAIT || op->kind == OP_COND_TIMEOUT ||
           op->kind == OP_COND_RESUME;
}

static void pending_add(struct world *world, const struct op *op, struct fingerprint *into)
{
    const struct await *await = NULL;

    fingerprint_word(into, (uint64_t)op->kind << 24 | (uint64_t)op->size << 16 |
                               (uint64_t)op->order << 8 | op->variant);
    fingerprint_word(into, op->site);
    if (op_is_retry(op))
        await_add(world, (const struct await *)(uintptr_t)op->mutex, into);
    else
        fingerprint_word(into, op->mutex);
    fingerprint_bytes(into, &op->expect, sizeof op->expect);
    if (op->kind == OP_AWAIT)
        await = (const struct await *)(uintptr_t)op->addr;
    else
        fingerprint_word(into, op->addr);
    if (waits_in_loop(op))
        await = (const struct await *)(uintptr_t)op->value;
    else if (op->kind != OP_COND_RELOCK) /* it waited for that */
        fingerprint_bytes(into, &op->value, sizeof op->value);
    if (await)
        await_add(world, await, into);
}

/* The stores that wait, oldest first. How many there were before them counts, too: they are named by their numbers. */
static void buffers_add(struct world *world, const struct thread *thread, struct fingerprint *into)
{
    fingerprint_word(into, (uint64_t)thread->stores << 32 | thread->waiting);
    fingerprint_word(into, (uint64_t)thread->floor << 32 | thread->drained);
    for (agent_id b = thread->waiting ? thread->buffers : AGENT_NONE; b != AGENT_NONE;
         b = world->buffers.at[b].next) {
        const struct buffer *buffer = &world->buffers.at[b];

        for (uint32_t i = buffer->head; i < buffer->stores.count; i++) {
            const struct buffered_store *store = &buffer->stores.at[i];

            fingerprint_word(into, store->addr);
            fingerprint_bytes(into, &store->value, sizeof store->value);
            fingerprint_word(into, (uint64_t)store->number << 32 | store->floor);
            fingerprint_word(into, (uint64_t)store->size << 8 | store->object);
        }
    }
}

void sum_thread(struct world *world, agent_id agent, struct fingerprint *into)
{
    const struct thread *thread = &world->threads.at[agent];

    fingerprint_word(into, agent);
    fingerprint_word(into, (uint64_t)thread->status << 48 | (uint64_t)thread->woken << 40 |
                               (uint64_t)thread->wait_result << 32 | thread->spurious);
    if (world_is_buffered(world))
        buffers_add(world, thread, into);
    if (thread->status != THREAD_RUNNING)
        return;
    fingerprint_word(into, thread->signals);
    fingerprint_word(into, thread->barrier);
    pending_add(world, &thread->pending, into);
}
