#include "explore/states_inner.h"
#include "model/alike.h"
#include "model/touch.h"

/* ---- what may follow */

void states_follow(struct states *states, uint32_t depth, opset_id set)
{
    struct state_frame *frame = &states->frames.at[depth];

    if (!states->stats.full)
        frame->follows = opset_union(&states->visibles, frame->follows, set);
}

/* The edge of line 21 of Figure 7. */
static void edge_add(struct states *states, visible_id from, opset_id to)
{
    while (states->next.count <= from)
        vec_push(states->arena, &states->next, OPSET_EMPTY);
    states->next.at[from] = opset_union(&states->visibles, states->next.at[from], to);
}

/* What is withdrawn by a transition is told when that is done, and the state behind it is not entered yet. */
void states_suspect(struct states *states, const struct suspect *suspect)
{
    struct execution *x = states->execution;
    uint32_t depth = x->events.count;
    struct access looks[FOOTPRINT_MAX];
    const struct access *accesses = suspect->accesses;
    uint32_t count = suspect->access_count;
    visible_id id;
    opset_id one;

    if (states->frames.count == 0 || states->stats.full)
        return;
    if (!accesses) {
        count = suspect_looks(x, suspect, looks);
        accesses = looks;
    }
    id = visible_of(&states->visibles, suspect, accesses, count);
    if (depth == states->frames.count)
        depth--;
    else
        states->last = id;
    one = opset_of(&states->visibles, id);
    states_follow(states, depth, one);
    if (states->kind == STATES_DELTA && depth > 0)
        edge_add(states, states->frames.at[depth].by, one);
}

/* delta: the pending operation of an agent, in the present state. */
static opset_id pending_op(struct states *states, agent_id agent)
{
    struct execution *x = states->execution;
    struct op space;
    const struct op *op = world_pending(x->world, agent, &space);
    struct suspect suspect = {.agent = agent, .op = op};
    struct footprint footprint;

    if (!op || !world_ready(x->world, agent))
        return OPSET_EMPTY;
    if (op_touch(x->world, &view_now, agent, op, &footprint, NULL) == TOUCH_DISABLED)
        footprint.count = suspect_looks(x, &suspect, footprint.at);
    else
        suspect.accesses = footprint.at;
    return opset_of(&states->visibles,
                    visible_of(&states->visibles, &suspect, footprint.at, footprint.count));
}

/* delta: all that are pending, also those that have to wait: they may wait for ever. */
static opset_id pending_ops(struct states *states)
{
    const struct world *world = states_world(states);
    opset_id set = OPSET_EMPTY;

    for (uint32_t i = 0; i < world->active.count; i++)
        set = opset_union(&states->visibles, set, pending_op(states, world->active.at[i]));
    return set;
}

/* The summary of Figure 7, line 5: all that is reachable in the graph from the operations that can run. */
static opset_id graph_reach(struct states *states, opset_id set)
{
    opset_id before;

    do {
        struct opset_range range = states->visibles.sets.at[set];

        before = set;
        for (uint32_t i = 0; i < range.count; i++) {
            struct opset_word word = states->visibles.words.at[range.first + i];

            for (; word.bits; word.bits &= word.bits - 1) {
                visible_id id = word.index * 64 + (unsigned)__builtin_ctzll(word.bits);

                if (id < states->next.count)
                    set = opset_union(&states->visibles, set, states->next.at[id]);
            }
        }
    } while (set != before);
    return set;
}

/* In `delta` what the graph reaches, as in the paper; and what was seen below the state, since of an atomic section that is still pending nobody
 * knows what it touches. */
static opset_id summary_of(struct states *states, const struct state_entry *entry, uint32_t depth)
{
    opset_id set;

    if (states->kind == STATES_EXACT)
        return entry->follows;
    set = pending_ops(states);
    if (depth > 0)
        edge_add(states, states->frames.at[depth].by, set);
    return graph_reach(states, opset_union(&states->visibles, set, entry->follows));
}

static void plan_reversal(void *context, event_id first, const struct suspect *suspect,
                          bool certain)
{
    const struct summary_held *held = context;

    states_reverse(held->states, held, first, suspect, certain);
}

/* UpdateBacktrackSets of Figure 6, for all events before the end: the operation is known to follow what `pre` has. */
static void visible_hold(struct summary_held *held, const struct visible *op, struct vclock pre)
{
    struct states *states = held->states;
    struct suspect suspect = {
        .agent = op->agent, .op = &op->op, .pre = pre, .access_count = op->access_count};

    if (!op->access_count)
        return; /* there may be no access yet to point to */
    suspect.accesses = &states->visibles.accesses.at[op->accesses];
    races_ahead(states->execution, &suspect, held->end, plan_reversal, held);
}

static void visible_ahead(void *context, const struct visible *op)
{
    struct summary_held *held = context;

    visible_hold(held, op, execution_clock_of(held->states->execution, op->agent));
}

/* Holds what may follow the present state against the events of the run. */
static void summary_hold(struct states *states, opset_id set)
{
    struct summary_held held = {states, set, states->execution->events.count};

    opset_each(&states->visibles, set, visible_ahead, &held);
}

void states_summary_apply(struct states *states, const struct state_entry *entry, uint32_t depth)
{
    opset_id set = summary_of(states, entry, depth);

    summary_hold(states, set);
    states_follow(states, depth, set);
    states->frames.at[depth].future = entry->future;
}

/* ---- cycles */

struct vclock states_clock_at(struct states *states, agent_id agent, uint32_t depth)
{
    const struct execution *x = states->execution;
    const event_vec *row = &x->rows.at[agent];
    uint32_t count = row->count;
    event_id last = EVENT_NONE;
    struct vclock clock;

    while (count > 0 && row->at[count - 1] >= depth)
        count--;
    if (count > 0)
        last = row->at[count - 1];
    for (event_id id = 0; id < depth && last == EVENT_NONE; id++)
        if (x->events.at[id].op.kind == OP_THREAD_CREATE && x->events.at[id].op.addr == agent)
            last = id;
    vec_reserve(states->arena, &states->clock, x->world->agents.count);
    clock = (struct vclock){states->clock.at, x->world->agents.count};
    if (last == EVENT_NONE)
        vclock_clear(clock);
    else
        vclock_copy(clock, event_clock(x, last));
    return clock;
}

static void visible_behind(void *context, const struct visible *op)
{
    struct summary_held *held = context;

    visible_hold(held, op, states_clock_at(held->states, op->agent, held->end));
}

/* Runs that came back to a state on the cycle stopped there, and what follows it was not known yet. They all have the events before `depth` in common. Each of them may be ordered in less ways with those
 * than the runs that did go on, but not in less than nothing is since `depth`. */
void states_cycle_apply(struct states *states, uint32_t depth)
{
    struct summary_held held = {states, states->frames.at[depth].follows, depth};

    if (states->stats.full) { /* not all that follows is known */
        for (uint32_t d = 0; d < depth; d++)
            enabled_plan(&states->enabled, states->nodes, d);
        return;
    }
    if (states->kind == STATES_DELTA)
        held.set = graph_reach(states, held.set);
    opset_each(&states->visibles, held.set, visible_behind, &held);
}

/* ---- two threads that change places */

static void member_note(void *context, const struct visible *op)
{
    struct states *states = context;

    vec_push(states->arena, &states->members, (visible_id)(op - states->visibles.ops.at));
}

/* What the operation is when they do; false if nobody takes the place of its agent. */
static bool visible_exchange(struct states *states, visible_id id, agent_id a, agent_id b,
                             visible_id *other)
{
    struct world *world = states_world(states);
    struct visible it = states->visibles.ops.at[id];
    struct access accesses[FOOTPRINT_MAX];
    struct suspect suspect = {.agent = world_swapped(world, it.agent, a, b), .op = &it.op};

    if (suspect.agent == AGENT_NONE)
        return false;
    if (op_infos[it.op.kind].object == OBJECT_THREAD && (it.op.addr == a || it.op.addr == b))
        it.op.addr = it.op.addr == a ? b : a;
    for (uint32_t i = 0; i < it.access_count; i++) {
        accesses[i] = states->visibles.accesses.at[it.accesses + i];
        accesses[i].loc = world_swapped_location(world, accesses[i].loc, a, b);
    }
    suspect.accesses = it.held_back ? NULL : accesses;
    *other = visible_of(&states->visibles, &suspect, accesses, it.access_count);
    return true;
}

static bool opset_exchange(struct states *states, opset_id set, agent_id a, agent_id b,
                           opset_id *other)
{
    visible_id id;

    *other = OPSET_EMPTY;
    states->members.count = 0;
    opset_each(&states->visibles, set, member_note, states);
    for (uint32_t i = 0; i < states->members.count; i++) {
        if (!visible_exchange(states, states->members.at[i], a, b, &id))
            return false;
        *other = opset_union(&states->visibles, *other, opset_of(&states->visibles, id));
    }
    return true;
}

bool states_exchange(struct states *states, agent_id a, agent_id b, bool past)
{
    uint32_t depth = states->frames.count - 1;
    struct state_frame *frame = &states->frames.at[depth];
    future_id future = FUTURE_NONE;
    opset_id follows;
    bool known = !frame->partly && opset_exchange(states, frame->follows, a, b, &follows);

    if (states->futures && known) {
        const struct world *world = states_world(states);

        future = states->futures->swapped(frame->future, (uint32_t)world->agents.at[a].key,
                                          (uint32_t)world->agents.at[b].key);
        known = future != FUTURE_UNKNOWN && (!past || states->futures->ordered(future));
    }
    if (!known) {
        frame->partly |= !past; /* it is not tried all the same */
        return !past;
    }
    if (past)
        summary_hold(states, follows);
    states_follow(states, depth, follows);
    if (states->futures)
        frame->future = states->futures->either(frame->future, future);
    return true;
}
