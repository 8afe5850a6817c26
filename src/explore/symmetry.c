#include "explore/symmetry.h"

#include "explore/states.h"
#include "model/alike.h"

void symmetry_open(struct symmetry *symmetry, struct execution *execution)
{
    memset(symmetry, 0, sizeof *symmetry);
    symmetry->execution = execution;
    map_open(&symmetry->chains, execution->arena);
}

/* ---- who is told apart by name */

static uint64_t *mark_of(struct symmetry *symmetry, agent_id agent)
{
    while (symmetry->marks.count <= agent)
        vec_push(symmetry->execution->arena, &symmetry->marks, 0);
    return &symmetry->marks.at[agent];
}

static bool is_join(const struct event *event)
{
    return event->op.kind == OP_THREAD_JOIN;
}

/* The event before that in a row of joins with nothing between them, or EVENT_NONE. */
static event_id chain_before(const struct execution *x, event_id id)
{
    event_id prev = x->events.at[id].prev;

    return x->events.at[id].op.expect == JOIN_ON && prev != EVENT_NONE &&
                   is_join(&x->events.at[prev])
               ? prev
               : EVENT_NONE;
}

/* A row of joins that ends with event `last` is over: those in it are told apart from all others, but not from each other. It does not matter in
 * which order they were joined: nothing could happen between, so it is as if all had been joined by the last one. */
static void chain_close(struct symmetry *symmetry, event_id last)
{
    const struct execution *x = symmetry->execution;
    uint64_t hash = 0;

    for (event_id id = last; id != EVENT_NONE; id = chain_before(x, id))
        hash += mix64(x->events.at[id].op.addr + 1);
    hash |= 1;
    if (map_get(&symmetry->chains, hash) != MAP_ABSENT)
        return;
    map_add(&symmetry->chains, hash, 0);
    for (event_id id = last; id != EVENT_NONE; id = chain_before(x, id))
        *mark_of(symmetry, (agent_id)x->events.at[id].op.addr) += mix64(hash);
}

/* Operations on threads other than beginning, joining and ending them: whoever is named so is like no other. */
static bool singles_out(const struct op *op)
{
    return op_infos[op->kind].object == OBJECT_THREAD && op->kind != OP_THREAD_CREATE &&
           op->kind != OP_THREAD_JOIN && op->kind != OP_THREAD_EXIT &&
           op->kind != OP_THREAD_TESTCANCEL;
}

/* Whatever a chain adds to its mark later, no other thread has it. */
static void single_out(struct symmetry *symmetry, agent_id agent)
{
    *mark_of(symmetry, agent) = mix64(UINT64_MAX - agent);
}

void symmetry_event(struct symmetry *symmetry)
{
    const struct execution *x = symmetry->execution;
    event_id id = x->events.count - 1;
    const struct event *event = &x->events.at[id];

    if (singles_out(&event->op))
        single_out(symmetry, (agent_id)event->op.addr);
    if (event->prev == EVENT_NONE || !is_join(&x->events.at[event->prev]))
        return;
    if (!is_join(event) || chain_before(x, id) == EVENT_NONE)
        chain_close(symmetry, event->prev);
}

/* Who waits to join a thread at the end may do anything after that, if it is the other one that ends. */
void symmetry_end(struct symmetry *symmetry)
{
    const struct execution *x = symmetry->execution;
    const struct world *world = x->world;

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        const struct thread *thread = &world->threads.at[agent];
        event_id last = agent < x->latest.count ? x->latest.at[agent] : EVENT_NONE;

        if (thread->status == THREAD_RUNNING && thread->pending.kind == OP_THREAD_JOIN)
            single_out(symmetry, (agent_id)thread->pending.addr);
        else if (last != EVENT_NONE && is_join(&x->events.at[last]))
            chain_close(symmetry, last);
    }
}

/* ---- pasts that correspond */

/* Whether neither the thread nor its buffers have done anything. */
static bool is_fresh(const struct execution *x, agent_id thread)
{
    for (agent_id agent = 0; agent < x->latest.count; agent++)
        if (x->latest.at[agent] != EVENT_NONE && x->world->agents.at[agent].thread == thread)
            return false;
    return true;
}

/* Whether all events of `agent` behind its step `from`, up to step `to`, only begin threads: nothing can race with them, so it does not matter who knows of them. */
static bool only_creates(const struct execution *x, agent_id agent, uint32_t from, uint32_t to)
{
    for (event_id id = x->latest.at[agent]; id != EVENT_NONE && x->events.at[id].step > from;
         id = x->events.at[id].prev)
        if (x->events.at[id].step <= to && x->events.at[id].op.kind != OP_THREAD_CREATE)
            return false;
    return true;
}

/* Whether both have to come after the same. */
static bool presents_agree(struct symmetry *symmetry, agent_id a, agent_id b)
{
    struct execution *x = symmetry->execution;
    struct vclock now = execution_clock_of(x, a), kept;

    symmetry->clock.count = 0;
    vec_reserve(x->arena, &symmetry->clock, now.width);
    kept = (struct vclock){symmetry->clock.at, now.width};
    vclock_copy(kept, now);
    now = execution_clock_of(x, b);
    for (agent_id agent = 0; agent < now.width; agent++) {
        uint32_t here = vclock_get(kept, agent), there = vclock_get(now, agent);

        if (here != there &&
            !only_creates(x, agent, here < there ? here : there, here < there ? there : here))
            return false;
    }
    return true;
}

/* Neither has done anything so far: an exchange of the two leaves every event of the execution as it is. (It would not be enough if the events of the one corresponded to those of the other. Then
 * what follows the one asks for an order of events that the search looks for behind the other, and the other way round, and nobody tries it.) */
static bool pasts_correspond(struct symmetry *symmetry, agent_id a, agent_id b)
{
    struct world *world = symmetry->execution->world;
    const struct target_ops *ops = world->target->ops;

    return is_fresh(symmetry->execution, a) && is_fresh(symmetry->execution, b) &&
           (!ops->began_alike || ops->began_alike(world->target, world, a, b)) &&
           presents_agree(symmetry, a, b);
}

/* ---- pairs */

bool symmetry_tells_apart(struct symmetry *symmetry, agent_id a, agent_id b)
{
    /* in this order: the second call may move what the first has found */
    uint64_t of_b = *mark_of(symmetry, b);

    return *mark_of(symmetry, a) != of_b;
}

bool symmetry_pair(struct symmetry *symmetry, agent_id a, agent_id b, bool past)
{
    struct world *world = symmetry->execution->world;
    const struct target_ops *ops = world->target->ops;

    if (!past && !pasts_correspond(symmetry, a, b))
        symmetry->reason = "they have not done the same so far";
    else if (symmetry_tells_apart(symmetry, a, b))
        symmetry->reason = "others tell them apart";
    else if (!(symmetry->reason = world_differs(world, a, b)))
        ops->alike(world->target, world, a, b, past, &symmetry->reason);
    return !symmetry->reason;
}

/* Of the same kind, of different threads: whether one may stand for the other is then to be found out. */
static bool are_candidates(const struct world *world, struct choice explored, struct choice choice)
{
    const struct agent *x = &world->agents.at[explored.agent], *y = &world->agents.at[choice.agent];

    return x->thread != y->thread && x->is_buffer == y->is_buffer &&
           (!x->is_buffer || x->addr == y->addr) && explored.outcome == choice.outcome;
}

bool symmetry_covers(struct symmetry *symmetry, const struct branch *explored, bool here,
                     struct choice choice)
{
    const struct world *world = symmetry->execution->world;
    agent_id a = world->agents.at[explored->choice.agent].thread;
    agent_id b = world->agents.at[choice.agent].thread;
    bool covers;

    if (!are_candidates(world, explored->choice, choice))
        return false;
    /* what follows a cycle follows who was tried, too, and has not been seen yet */
    if (symmetry->states && symmetry->states->stats.cycles > 0)
        return false;
    symmetry->stats.checks++;
    covers = symmetry_pair(symmetry, a, b, false);
    if (covers && symmetry->states && !here)
        covers = false; /* what follows it is kept at another state */
    if (covers && symmetry->states)
        states_exchange(symmetry->states, a, b, false);
    if (!covers && symmetry->past && symmetry->states && here)
        covers =
            symmetry_pair(symmetry, a, b, true) && states_exchange(symmetry->states, a, b, true);
    symmetry->stats.found += covers;
    return covers;
}
