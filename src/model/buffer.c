#include "model/buffer.h"

#include <string.h>

#include "base/check.h"
#include "model/object.h"

/* Buffers are keyed beside threads (world_thread): an odd mix of thread and name keeps them apart. */
static uint64_t buffer_key(agent_id thread, uint64_t name)
{
    return mix64(name ^ ((uint64_t)thread + 1) << 40) | 1;
}

agent_id buffer_named(struct world *world, agent_id thread, uint64_t name)
{
    uint64_t key = buffer_key(thread, name);
    agent_id agent = map_get(&world->agent_by_key, key);

    if (agent == MAP_ABSENT) {
        agent = world->agents.count;
        vec_push(world->arena, &world->agents,
                 (struct agent){.thread = thread, .is_buffer = true, .addr = name});
        vec_push(world->arena, &world->threads, (struct thread){.status = THREAD_ABSENT});
        vec_push(world->arena, &world->buffers, (struct buffer){.next = AGENT_NONE});
        map_add(&world->agent_by_key, key, agent);
    }
    CHECK(world->agents.at[agent].thread == thread && world->agents.at[agent].addr == name,
          "two buffers with one key");
    return agent;
}

/* The buffer agent for a store of `thread` to `addr`; empty if not used yet in this execution. */
static agent_id buffer_agent(struct world *world, agent_id thread, uint64_t addr)
{
    agent_id agent = buffer_named(world, thread, world->memory->buffer_of(addr));

    if (world->buffers.at[agent].generation != world->generation) {
        struct buffer *buffer = &world->buffers.at[agent];

        buffer->generation = world->generation;
        buffer->head = buffer->stores.count = 0;
        buffer->next = world->threads.at[thread].buffers;
        world->threads.at[thread].buffers = agent;
        vec_push(world->arena, &world->active, agent);
    }
    return agent;
}

void buffer_push(struct world *world, agent_id thread, const struct op *op)
{
    agent_id agent = buffer_agent(world, thread, op->addr);
    struct thread *t = &world->threads.at[thread];
    bool release = op->order == ORDER_RELEASE || op->order == ORDER_ACQ_REL;
    struct buffer *buffer = &world->buffers.at[agent];

    vec_push(world->arena, &buffer->stores,
             (struct buffered_store){.addr = op->addr,
                                     .value = op->value,
                                     .size = op->size,
                                     .number = t->stores,
                                     .floor = release ? t->stores : t->floor,
                                     .site = op->site,
                                     .issued = world->now,
                                     .flushed = EVENT_NONE});
    t->stores++;
    t->waiting++;
    if (world->watch)
        world->watch->stored(world, thread, op, &vec_last(&buffer->stores));
}

void buffer_push_unlock(struct world *world, agent_id thread, const struct op *op)
{
    agent_id agent = buffer_agent(world, thread, op->addr);
    struct thread *t = &world->threads.at[thread];

    vec_push(world->arena, &world->buffers.at[agent].stores,
             (struct buffered_store){.addr = op->addr,
                                     .value = op->value,
                                     .object = op_infos[op->kind].object,
                                     .number = t->stores,
                                     .floor = t->stores, /* a release store */
                                     .site = op->site,
                                     .issued = world->now,
                                     .flushed = EVENT_NONE});
    t->stores++;
    t->waiting++;
}

bool buffer_unlocks(const struct world *world, const struct view *view, agent_id thread,
                    const struct op *op)
{
    for (agent_id b = world->threads.at[thread].buffers; b != AGENT_NONE;
         b = world->buffers.at[b].next)
        for (uint32_t i = world->buffers.at[b].stores.count; i-- > 0;) {
            const struct buffered_store *store = &world->buffers.at[b].stores.at[i];

            if (store->object == op_infos[op->kind].object && store->addr == op->addr &&
                store->number < op->stores && !view->is_flushed(view, store))
                return true;
        }
    return false;
}

const struct buffered_store *buffer_head(const struct world *world, agent_id agent)
{
    const struct buffer *buffer = &world->buffers.at[agent];

    if (buffer->generation != world->generation || buffer->head == buffer->stores.count)
        return NULL;
    return &buffer->stores.at[buffer->head];
}

static bool stores_overlap(const struct buffered_store *a, const struct buffered_store *b)
{
    return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

/* Whether `store` reaches memory only after `other` of the same thread, which is in another buffer. */
static bool must_follow(const struct buffered_store *store, const struct buffered_store *other)
{
    return other->number < store->floor ||
           (other->number < store->number && stores_overlap(store, other));
}

static bool must_wait_for(const struct buffered_store *store, const struct buffer *other)
{
    for (uint32_t i = other->head; i < other->stores.count; i++) {
        if (other->stores.at[i].number >= store->number)
            return false;
        if (must_follow(store, &other->stores.at[i]))
            return true;
    }
    return false;
}

bool buffer_can_flush(const struct world *world, agent_id agent)
{
    const struct buffered_store *store = buffer_head(world, agent);
    agent_id thread = world->agents.at[agent].thread;

    if (!store)
        return false;
    for (agent_id b = world->threads.at[thread].buffers; b != AGENT_NONE;
         b = world->buffers.at[b].next)
        if (b != agent && must_wait_for(store, &world->buffers.at[b]))
            return false;
    return true;
}

void buffer_flush_causes(const struct world *world, agent_id agent, event_vec *causes)
{
    const struct buffered_store *store = buffer_head(world, agent);
    agent_id thread = world->agents.at[agent].thread;

    if (store->issued != EVENT_NONE)
        vec_push(world->arena, causes, store->issued);
    for (agent_id b = world->threads.at[thread].buffers; b != AGENT_NONE;
         b = world->buffers.at[b].next) {
        const struct buffer *buffer = &world->buffers.at[b];
        uint32_t i = buffer->head;

        /* the last of those it had to wait for; later ones may have gone ahead by chance */
        while (b != agent && i > 0)
            if (must_follow(store, &buffer->stores.at[--i])) {
                vec_push(world->arena, causes, buffer->stores.at[i].flushed);
                break;
            }
    }
}

/* The lock may have been destroyed meanwhile, by the thread itself. */
static void unlock_flush(struct world *world, agent_id thread, const struct buffered_store *store)
{
    uint64_t state = world_state(world, world_location(world, store->object, store->addr));

    if (lock_holder(state) == lock_held_by(thread))
        world_object_set(world, store->object, store->addr, lock_given(state, store->value != 0));
}

void buffer_flush(struct world *world, agent_id agent, event_id now)
{
    struct buffer *buffer = &world->buffers.at[agent];
    struct buffered_store *store = &buffer->stores.at[buffer->head];
    agent_id thread = world->agents.at[agent].thread;

    if (store->object != OBJECT_NONE) {
        unlock_flush(world, thread, store);
    } else {
        world_memory_set(world, store->addr, &store->value, store->size);
        world_writer_set(world, store->addr, store->size, world_slot(world, thread, store->number));
        if (world->watch)
            world->watch->flushed(world, thread, store);
    }
    store->flushed = now;
    buffer->head++;
    world->threads.at[thread].waiting--;
}

static uint32_t bytes_of(const struct buffered_store *store, uint64_t addr, unsigned size)
{
    uint32_t bytes = 0;

    for (unsigned i = 0; i < size; i++)
        bytes |= (uint32_t)(addr + i - store->addr < store->size) << i;
    return bytes;
}

uint32_t buffer_forwards(const struct world *world, agent_id thread, uint64_t addr, unsigned size)
{
    uint32_t bytes = 0;

    if (world->threads.at[thread].waiting == 0)
        return 0;
    for (agent_id b = world->threads.at[thread].buffers; b != AGENT_NONE;
         b = world->buffers.at[b].next)
        for (uint32_t i = world->buffers.at[b].head; i < world->buffers.at[b].stores.count; i++)
            bytes |= bytes_of(&world->buffers.at[b].stores.at[i], addr, size);
    return bytes;
}

bool buffer_has_room(struct world *world, agent_id thread, uint64_t addr)
{
    agent_id agent = buffer_agent(world, thread, addr); /* may move the table */
    const struct buffer *buffer = &world->buffers.at[agent];

    if (buffer->stores.count - buffer->head < world->buffer_bound)
        return true;
    world->buffer_bound_met = true;
    return false;
}

event_id buffer_room_cause(struct world *world, agent_id thread, uint64_t addr)
{
    agent_id agent = buffer_agent(world, thread, addr); /* may move the table */
    const struct buffer *buffer = &world->buffers.at[agent];

    if (world->buffer_bound > buffer->stores.count)
        return EVENT_NONE;
    return buffer->stores.at[buffer->stores.count - world->buffer_bound].flushed;
}

void buffer_drain_causes(const struct world *world, agent_id thread, event_vec *causes)
{
    for (agent_id b = world->threads.at[thread].buffers; b != AGENT_NONE;
         b = world->buffers.at[b].next) {
        const struct buffer *buffer = &world->buffers.at[b];

        if (buffer->head > 0)
            vec_push(world->arena, causes, buffer->stores.at[buffer->head - 1].flushed);
    }
}

/* ---- showing */

/* The waiting stores of a thread into world->shown, oldest first. */
static void shown_gather(struct world *world, agent_id thread)
{
    world->shown.count = 0;
    for (agent_id b = world->threads.at[thread].buffers; b != AGENT_NONE;
         b = world->buffers.at[b].next) {
        struct buffer *buffer = &world->buffers.at[b];

        for (uint32_t i = buffer->head; i < buffer->stores.count; i++) {
            struct buffered_store *store = &buffer->stores.at[i];
            uint32_t at = world->shown.count;

            vec_push(world->arena, &world->shown, store);
            for (; at > 0 && world->shown.at[at - 1]->number > store->number; at--)
                world->shown.at[at] = world->shown.at[at - 1];
            world->shown.at[at] = store;
        }
    }
}

static void store_show(struct buffered_store *store)
{
    void *at = (void *)(uintptr_t)store->addr;

    store->hidden = 0;
    memcpy(&store->hidden, at, store->size);
    memcpy(at, &store->value, store->size);
}

static void store_hide(struct buffered_store *store)
{
    void *at = (void *)(uintptr_t)store->addr;

    memcpy(&store->value, at, store->size);
    memcpy(at, &store->hidden, store->size);
}

void buffer_show(struct world *world, agent_id thread)
{
    if (world->threads.at[thread].waiting == 0)
        return;
    shown_gather(world, thread);
    for (uint32_t i = 0; i < world->shown.count; i++)
        store_show(world->shown.at[i]);
}

void buffer_hide(struct world *world, agent_id thread)
{
    if (world->threads.at[thread].waiting == 0)
        return;
    shown_gather(world, thread);
    for (uint32_t i = world->shown.count; i-- > 0;)
        store_hide(world->shown.at[i]);
}

void buffer_show_newest(struct world *world, agent_id thread, uint64_t addr)
{
    agent_id agent = buffer_agent(world, thread, addr); /* may move the table */

    store_show(&vec_last(&world->buffers.at[agent].stores));
}
