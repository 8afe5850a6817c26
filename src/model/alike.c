#include "model/alike.h"

#include "model/object.h"

static agent_id thread_swapped(agent_id thread, agent_id a, agent_id b)
{
    return thread == a ? b : thread == b ? a : thread;
}

agent_id world_swapped(const struct world *world, agent_id agent, agent_id a, agent_id b)
{
    const struct agent *it = &world->agents.at[agent];
    agent_id thread = thread_swapped(it->thread, a, b);

    if (!it->is_buffer || thread == it->thread)
        return it->is_buffer ? agent : thread;
    for (agent_id other = 0; other < world->agents.count; other++)
        if (world->agents.at[other].is_buffer && world->agents.at[other].thread == thread &&
            world->agents.at[other].addr == it->addr)
            return other;
    return AGENT_NONE;
}

loc_id world_swapped_location(struct world *world, loc_id loc, agent_id a, agent_id b)
{
    const struct location *location = &world->locations.at[loc];
    uint64_t low = (uint32_t)location->addr, high = location->addr >> 32;
    uint64_t addr;

    if (location->kind == OBJECT_SLOT)
        addr = (uint64_t)thread_swapped((agent_id)high, a, b) << 32 | low;
    else if (location->kind == OBJECT_THREAD && location->addr != THREAD_ANY_REQUEST)
        addr = high << 32 | thread_swapped((agent_id)low, a, b);
    else
        return loc;
    return world_location(world, location->kind, addr);
}

/* ---- objects that name threads */

static uint32_t times_in(const struct world *world, waiters_id set, agent_id thread)
{
    uint32_t count, times = 0;
    const agent_id *members = waiters_members(&world->waiters, set, &count);

    for (uint32_t i = 0; i < count; i++)
        times += members[i] == thread;
    return times;
}

/* Whether an object is the same one when the two change places. */
static bool object_is_neutral(const struct world *world, const struct location *location,
                              uint64_t state, agent_id a, agent_id b)
{
    uint32_t holder;

    switch (location->kind) {
    case OBJECT_MUTEX:
    case OBJECT_SPIN:
        holder = lock_holder(state);
        return holder != lock_held_by(a) && holder != lock_held_by(b);
    case OBJECT_RWLOCK:
        if (location->addr & RWLOCK_STAMP_ADDR)
            return true;
        holder = (uint32_t)(rwlock_writer(state) >> 32);
        return holder != lock_held_by(a) && holder != lock_held_by(b) &&
               times_in(world, rwlock_readers(state), a) ==
                   times_in(world, rwlock_readers(state), b);
    case OBJECT_COND:
        return times_in(world, (waiters_id)state, a) == 0 &&
               times_in(world, (waiters_id)state, b) == 0;
    default: /* of threads see threads_differ; the others name nobody */
        return true;
    }
}

static bool objects_are_neutral(const struct world *world, agent_id a, agent_id b)
{
    for (loc_id loc = 0; loc < world->locations.count; loc++) {
        const struct location *location = &world->locations.at[loc];

        if (location->generation == world->generation &&
            !object_is_neutral(world, location, location->state, a, b))
            return false;
    }
    return true;
}

static bool handles_agree(struct world *world, agent_id a, agent_id b)
{
    static uint64_t (*const names[])(uint64_t) = {thread_handle_addr, thread_cancel_addr};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (world_state(world, world_location(world, OBJECT_THREAD, names[i](a))) !=
            world_state(world, world_location(world, OBJECT_THREAD, names[i](b))))
            return false;
    return true;
}

/* ---- store buffers */

static bool stores_agree(const struct buffer *a, const struct buffer *b)
{
    if (a->stores.count - a->head != b->stores.count - b->head)
        return false;
    for (uint32_t i = 0; i < a->stores.count - a->head; i++) {
        const struct buffered_store *x = &a->stores.at[a->head + i];
        const struct buffered_store *y = &b->stores.at[b->head + i];

        if (x->addr != y->addr || x->value != y->value || x->size != y->size ||
            x->object != y->object || x->number != y->number || x->floor != y->floor)
            return false;
    }
    return true;
}

/* Whether each buffer of `a` in which stores wait has one of `b` like it. */
static bool buffers_agree(const struct world *world, agent_id a, agent_id b)
{
    const struct thread *thread = &world->threads.at[a];

    for (agent_id own = thread->waiting ? thread->buffers : AGENT_NONE; own != AGENT_NONE;
         own = world->buffers.at[own].next) {
        const struct buffer *buffer = &world->buffers.at[own];
        agent_id other = world_swapped(world, own, a, b);

        if (buffer->head == buffer->stores.count)
            continue;
        if (other == AGENT_NONE || world->buffers.at[other].generation != world->generation ||
            !stores_agree(buffer, &world->buffers.at[other]))
            return false;
    }
    return true;
}

/* Memory remembers by which buffered store it was written, and loads by that thread see it. */
static bool writers_are_neutral(const struct world *world, agent_id a, agent_id b)
{
    for (uint32_t i = 0; i < world->writers.count; i++) {
        const struct word_writers *word = &world->writers.at[i];

        for (unsigned byte = 0; word->generation == world->generation && byte < 8; byte++) {
            agent_id thread = word->slots[byte] == LOC_NONE
                                  ? AGENT_NONE
                                  : (agent_id)(world->locations.at[word->slots[byte]].addr >> 32);

            if (thread == a || thread == b)
                return false;
        }
    }
    return true;
}

/* ---- what both are about to do */

/* Operations that say by an address of the target's own what they wait for. */
static bool is_plain_to_see(const struct op *op)
{
    return op->kind != OP_AWAIT && op->kind != OP_COND_TIMEDWAIT && op->kind != OP_COND_TIMEOUT &&
           op->kind != OP_COND_RESUME && op->kind != OP_COND_RELOCK;
}

static bool ops_agree(const struct op *x, const struct op *y)
{
    return x->kind == y->kind && is_plain_to_see(x) && x->size == y->size && x->order == y->order &&
           x->variant == y->variant && x->stores == y->stores && x->mutex == y->mutex &&
           x->value == y->value && x->expect == y->expect &&
           (x->addr == y->addr || x->kind == OP_THREAD_EXIT);
}

static bool threads_agree(const struct thread *x, const struct thread *y)
{
    return x->status == THREAD_RUNNING && y->status == THREAD_RUNNING && x->woken == y->woken &&
           x->wait_result == y->wait_result && x->spurious == y->spurious && !x->signals &&
           !y->signals && x->barrier == y->barrier;
}

const char *world_differs(struct world *world, agent_id a, agent_id b)
{
    const struct thread *x = &world->threads.at[a], *y = &world->threads.at[b];

    if (!threads_agree(x, y) || !ops_agree(&x->pending, &y->pending))
        return "they are about to do different things";
    if (world_is_buffered(world) &&
        (x->stores != y->stores || x->waiting != y->waiting || x->floor != y->floor ||
         x->drained != y->drained || !buffers_agree(world, a, b)))
        return "their store buffers differ";
    if (!objects_are_neutral(world, a, b))
        return "one of them holds a lock or waits at a condition";
    if (!handles_agree(world, a, b))
        return "one of them was detached, joined or cancelled";
    if (world_is_buffered(world) && !writers_are_neutral(world, a, b))
        return "memory has a store of one of them";
    return NULL;
}
