#include "model/lives.h"

#include "base/check.h"
#include "model/object.h"
#include "model/touch.h"

void pending_complete(struct world *world, agent_id agent)
{
    struct thread *thread = &world->threads.at[agent];

    thread->pending.stores = thread->stores;
    if (thread->pending.kind == OP_THREAD_EXIT)
        thread->pending.addr = agent;
}

/* Whether it has issued stores since it last needed its buffers empty. Not whether they still wait there: that must not decide what it
 * does next. */
static bool may_have_stores(const struct world *world, const struct thread *thread)
{
    return world_is_buffered(world) && thread->stores > thread->drained;
}

/* The same for an operation that its thread has just come to. */
static void pending_begin(struct world *world, agent_id agent)
{
    struct thread *thread = &world->threads.at[agent];

    pending_complete(world, agent);
    if (op_infos[thread->pending.kind].flags & OP_LOOK && may_have_stores(world, thread) &&
        !world->in_section)
        thread->pending.size |= OBJECT_LOOK;
}

/* ---- what a thread needs that went on in a transition of another one */

static void need_add(struct world *world, agent_id agent, event_id event)
{
    struct thread *thread = &world->threads.at[agent];

    if (event == EVENT_NONE)
        return;
    vec_push(world->arena, &world->needs, (struct need){event, thread->needs});
    thread->needs = world->needs.count - 1;
}

/* From now on `to` needs all that `from` has done, and what that would need to go on. */
static void needs_pass(struct world *world, agent_id to, agent_id from)
{
    const struct thread *thread = &world->threads.at[from];

    if (from == world->acting) {
        need_add(world, to, world->now); /* which comes after all the rest */
        return;
    }
    need_add(world, to, thread->last);
    need_add(world, to, thread->cause);
    for (uint32_t n = thread->needs; n != NEED_NONE; n = world->needs.at[n].next)
        need_add(world, to, world->needs.at[n].event);
}

static void needs_gather(const struct world *world, uint32_t first, event_vec *causes)
{
    for (uint32_t n = first; n != NEED_NONE; n = world->needs.at[n].next)
        vec_push(world->arena, causes, world->needs.at[n].event);
}

/* An end that was merged into a transition left no access behind: the join needs that transition itself. */
static void join_causes(const struct world *world, const struct op *op, event_vec *causes)
{
    const struct thread *joined = &world->threads.at[op->addr];

    if (joined->status != THREAD_EXITED)
        return;
    if (joined->last != EVENT_NONE)
        vec_push(world->arena, causes, joined->last);
    if (joined->cause != EVENT_NONE)
        vec_push(world->arena, causes, joined->cause);
    needs_gather(world, joined->needs, causes);
}

void life_causes(const struct world *world, agent_id agent, event_vec *causes)
{
    const struct thread *thread = &world->threads.at[agent];

    if (thread->pending.kind == OP_THREAD_JOIN && world->merges_lives)
        join_causes(world, &thread->pending, causes);
    needs_gather(world, thread->needs, causes);
}

/* ---- beginning, joining, ending */

static void thread_begin(struct world *world, agent_id agent, agent_id parent)
{
    struct op next;

    CHECK(world->threads.at[agent].status == THREAD_ABSENT, "thread %u started twice", agent);
    world->threads.at[agent] = (struct thread){.status = THREAD_RUNNING,
                                               .last = EVENT_NONE,
                                               .cause = world->now,
                                               .needs = NEED_NONE,
                                               .buffers = AGENT_NONE};
    if (parent != world->acting) { /* it goes on in a transition of another one */
        world->threads.at[agent].cause = EVENT_NONE;
        needs_pass(world, agent, parent);
    }
    vec_push(world->arena, &world->active, agent);
    world_object_set(world, OBJECT_THREAD, agent, OBJECT_THREAD_RUNS);
    world->target->ops->start(world->target, world, agent, &next);
    if (world->threads.at[agent].status == THREAD_RUNNING)
        thread_arrive(world, agent, &next);
}

void world_start(struct world *world, agent_id agent)
{
    thread_begin(world, agent, world->acting);
}

static bool merges_lives(const struct world *world)
{
    return world->merges_lives && !world_is_buffered(world);
}

static bool merges_joins(const struct world *world)
{
    return merges_lives(world) && world->commutes & COMMUTE_JOINS;
}

/* Whether a join is through: its thread has ended, and nothing else is wrong with it. Not inlined: its callers call each other for each
 * of a thousand threads of which one creates the next, and have no room for a footprint each. */
static __attribute__((noinline)) bool join_goes(struct world *world, agent_id agent,
                                                const struct op *op)
{
    struct footprint footprint; /* large: not to be cleared */

    return op->kind == OP_THREAD_JOIN && world->threads.at[op->addr].status == THREAD_EXITED &&
           op_touch(world, &view_now, agent, op, &footprint, NULL) == TOUCH_DONE;
}

/* Does that, and lets the thread run on to its next operation. */
static void join_go(struct world *world, agent_id agent, struct op *op)
{
    if (world->watch)
        world->watch->does(world, agent, op, false);
    if (op->variant == OBJECT_STRICT)
        world_object_set(world, OBJECT_THREAD, thread_handle_addr(op->addr), OBJECT_THREAD_JOINED);
    needs_pass(world, agent, (agent_id)op->addr);
    world->target->ops->resume(world->target, world, agent, 0, op);
}

/* Those who have waited for the end of the thread go on, in the transition in which it has ended. */
static void joiners_go(struct world *world, agent_id ended)
{
    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        const struct thread *thread = &world->threads.at[agent];
        struct op op;

        if (thread->pending.kind != OP_THREAD_JOIN || thread->pending.addr != ended ||
            thread->status != THREAD_RUNNING || !join_goes(world, agent, &thread->pending))
            continue;
        op = thread->pending; /* which may move */
        join_go(world, agent, &op);
        thread_arrive(world, agent, &op);
    }
}

static void thread_end(struct world *world, agent_id agent)
{
    struct thread *thread = &world->threads.at[agent];

    if (world->watch)
        world->watch->does(world, agent, &thread->pending, false);
    world_object_set(world, OBJECT_THREAD, agent, OBJECT_THREAD_EXITED);
    thread->status = THREAD_EXITED;
    if (agent == world->acting)
        thread->last = world->now;
    if (merges_joins(world))
        joiners_go(world, agent);
}

/* Does what is no transition of its own, and lets the thread run on to its next operation. False if `next` is one. */
static bool life_goes_on(struct world *world, agent_id agent, struct op *next)
{
    if (next->kind == OP_THREAD_CREATE) {
        if (world->watch)
            world->watch->does(world, agent, next, false);
        thread_begin(world, (agent_id)next->addr, agent);
        world->target->ops->resume(world->target, world, agent, 0, next);
        return true;
    }
    if (next->kind != OP_THREAD_JOIN || !merges_joins(world) || !join_goes(world, agent, next))
        return false;
    join_go(world, agent, next);
    return true;
}

void thread_arrive(struct world *world, agent_id agent, struct op *next)
{
    bool merges = merges_lives(world);

    while (merges && life_goes_on(world, agent, next))
        ;
    world->threads.at[agent].pending = *next;
    pending_begin(world, agent);
    if (merges && next->kind == OP_THREAD_EXIT)
        thread_end(world, agent);
}
