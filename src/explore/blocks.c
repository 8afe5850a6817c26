#include "explore/blocks.h"

#include "explore/races.h"
#include "model/touch.h"

static bool steps_as_thread(const struct nodes *nodes, agent_id agent)
{
    return !nodes->base.execution->world->agents.at[agent].is_buffer;
}

/* What it costs to let `agent` go on in the state at `depth`. */
static uint32_t cost_at(const struct blocks *blocks, const struct nodes *nodes, uint32_t depth,
                        agent_id agent)
{
    return steps_as_thread(nodes, agent) && agent != blocks->running.at[depth] &&
           !blocks->free_switch.at[depth];
}

void blocks_enter(struct blocks *blocks, struct nodes *nodes, uint32_t depth, agent_id running)
{
    struct execution *x = nodes->base.execution;
    bool goes_on;

    enabled_enter(&blocks->enabled, x);
    goes_on = running != AGENT_NONE && enabled_has(&blocks->enabled, depth, running) &&
              x->world->threads.at[running].pending.kind != OP_YIELD;
    vec_push(x->arena, &blocks->running, running);
    vec_push(x->arena, &blocks->free_switch, !goes_on);
    if (depth > 0 && nodes->base.bounded) {
        struct branch *taken = nodes->at.at[depth - 1].current;

        taken->rests = !goes_on || running != taken->choice.agent;
    }
}

void blocks_leave(struct blocks *blocks, uint32_t depth)
{
    enabled_leave(&blocks->enabled, depth);
    blocks->running.count = blocks->free_switch.count = depth;
}

/* ---- reversals */

/* Plans one agent of those that let a reversal begin. If it is asleep, it need not be the first of what has to be explored, and the run that would show what is does not come:
 * so all are planned then. */
static void plan_one(const struct blocks *blocks, struct nodes *nodes, uint32_t depth,
                     agent_id agent)
{
    if (nodes->sleeping && !nodes_have(nodes, depth, agent) &&
        sleep_has_agent(&nodes->sleep, depth, agent))
        enabled_plan(&blocks->enabled, nodes, depth);
    else
        nodes_plan(nodes, depth, (struct choice){agent, OUTCOME_ANY, 0}, false);
}

/* The first event of `agent` from the state at `depth` on that the operation of a race needs, or EVENT_NONE. */
static event_id first_needed(const struct execution *x, struct vclock pre, agent_id agent,
                             uint32_t depth)
{
    const event_vec *row = &x->rows.at[agent];
    uint32_t needed = vclock_get(pre, agent);
    uint32_t low = 0, high = needed < row->count ? needed : row->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (row->at[middle] < depth)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row->count && low < needed ? row->at[low] : EVENT_NONE;
}

/* Those of all who were enabled there, in their order. */
static void collect_needed(struct blocks *blocks, const struct execution *x, struct vclock pre,
                           uint32_t depth)
{
    uint32_t count;
    const agent_id *enabled = enabled_at(&blocks->enabled, depth, &count);

    blocks->needed.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        event_id id =
            enabled[i] < x->rows.count ? first_needed(x, pre, enabled[i], depth) : EVENT_NONE;
        uint32_t at = blocks->needed.count;

        if (id == EVENT_NONE)
            continue;
        vec_push(x->arena, &blocks->needed, id);
        for (; at > 0 && blocks->needed.at[at - 1] > id; at--)
            blocks->needed.at[at] = blocks->needed.at[at - 1];
        blocks->needed.at[at] = id;
    }
}

/* Plans all that let the operation of the race come before the state at `depth`: after one of them the bound may forbid what must follow. */
static void plan_at(struct blocks *blocks, struct nodes *nodes, uint32_t depth,
                    const struct race *race)
{
    const struct execution *x = nodes->base.execution;
    struct vclock pre = race_pre(x, race);

    collect_needed(blocks, x, pre, depth);
    for (uint32_t i = 0; i < blocks->needed.count; i++)
        plan_one(blocks, nodes, depth, x->events.at[blocks->needed.at[i]].agent);
    if (enabled_has(&blocks->enabled, depth, race->agent))
        plan_one(blocks, nodes, depth, race->agent);
    else if (blocks->needed.count == 0)
        enabled_plan(&blocks->enabled, nodes, depth);
}

/* Whether the event may have let somebody go on who had to wait. */
static bool event_may_enable(const struct execution *x, event_id id)
{
    const struct event *event = &x->events.at[id];

    for (uint32_t i = 0; i < event->access_count; i++)
        if (x->accesses.at[event->accesses + i].access.mode != ACCESS_READ)
            return true;
    return false;
}

/* The block is that of the thread that took the first event, or ran when a buffer took it. Flushes that came just before it are free like the switch, and whoever comes before them
 * may then wait for its own: leaving that one is free, too. */
void blocks_reverse(struct blocks *blocks, struct nodes *nodes, const struct race *race)
{
    const struct execution *x = nodes->base.execution;
    event_id id = race->first;
    agent_id agent = x->events.at[id].agent;
    agent_id thread = steps_as_thread(nodes, agent) ? agent : blocks->running.at[id];

    plan_at(blocks, nodes, id, race);
    while (id > 0 && blocks->running.at[id] == thread) {
        if (blocks->free_switch.at[id] || event_may_enable(x, id))
            plan_at(blocks, nodes, id, race);
        id--;
    }
    plan_at(blocks, nodes, id, race);
    while (id > 0 && !steps_as_thread(nodes, x->events.at[id - 1].agent))
        plan_at(blocks, nodes, --id, race);
}

void blocks_give_up(const struct blocks *blocks, struct nodes *nodes, uint32_t depth)
{
    const struct enabled_sets *enabled = &blocks->enabled;
    agent_id thread = blocks->running.at[depth];
    uint32_t first = depth, last_free = depth;

    while (first > 0 && blocks->running.at[first] == thread)
        first--;
    while (last_free > first && !blocks->free_switch.at[last_free])
        last_free--;
    enabled_plan(enabled, nodes, first);
    enabled_plan(enabled, nodes, last_free);
    for (uint32_t i = enabled->first.at[depth]; i < enabled->agents.count; i++) {
        agent_id agent = enabled->agents.at[i];
        uint32_t at = first;

        while (at < depth && !enabled_has(enabled, at, agent))
            at++;
        if (agent != thread)
            nodes_plan(nodes, at, (struct choice){agent, OUTCOME_ANY, 0}, false);
    }
}

/* ---- sleep sets
 *
 * A branch p was explored from a state s, and commutes with all of w that was done since. Runs s.w.p.u need not be explored if s.p.w.u, which were, cost no more. Let r be the
 * thread that runs in s, q the first thread of w, and t the last one.
 *
 * - At the front, r to q becomes r to p to q: the first costs what it cost in s, the second one preemption if the thread of p could go on after p. Together that must not be
 *   more than r to q. So p may sleep if its thread was the one that ran (leaving it cost one, now or later), or if it had nothing to do after p. Flushes cost nothing.
 * - At the back, t to p to u becomes t to u, which costs no more, unless p lets t go on, which had to wait: then leaving it was free, and is not any more. The same holds for each thread in w
 *   that was left because it had to wait. */

/* Whether that branch fell asleep in the state at `depth`. */
static bool fell_asleep_at(const struct nodes *nodes, uint32_t depth, const struct branch *branch)
{
    for (const struct branch *done = nodes->at.at[depth].done; done; done = done->sibling)
        if (done == branch)
            return true;
    return false;
}

/* The state in which the branch fell asleep, if only flushes came between it and the last event; else UINT32_MAX. */
static uint32_t front_of(const struct nodes *nodes, uint32_t depth, const struct branch *branch)
{
    const struct execution *x = nodes->base.execution;

    while (depth > 0) {
        depth--;
        if (fell_asleep_at(nodes, depth, branch))
            return depth;
        if (depth == 0 || steps_as_thread(nodes, x->events.at[depth - 1].agent))
            break;
    }
    return UINT32_MAX;
}

static bool front_is_fine(const struct blocks *blocks, const struct nodes *nodes, uint32_t depth,
                          const struct branch *sleeper)
{
    uint32_t from = front_of(nodes, depth, sleeper);
    agent_id next = nodes->base.execution->events.at[depth - 1].agent;
    uint32_t cost;

    if (from == UINT32_MAX)
        return true; /* looked at then */
    cost = cost_at(blocks, nodes, from, sleeper->choice.agent);
    if (!steps_as_thread(nodes, next))
        return cost == 0; /* the flush may have stopped the thread that ran */
    return cost + !sleeper->rests <= cost_at(blocks, nodes, depth - 1, next);
}

/* Whether the branch may let that thread go on, which waits. What a thread waits for is known if it is one object; but it may also wait for its buffers. */
static bool branch_may_enable(struct nodes *nodes, const struct branch *branch, agent_id thread)
{
    struct execution *x = nodes->base.execution;
    struct op space;
    struct suspect waits = {.agent = thread, .op = world_pending(x->world, thread, &space)};
    struct access looks[FOOTPRINT_MAX];
    uint32_t count;

    if (!waits.op)
        return false; /* it has ended */
    if (op_waits_for_one(waits.op) && steps_as_thread(nodes, branch->choice.agent)) {
        count = suspect_looks(x, &waits, looks);
        return accesses_conflict(branch->accesses, branch->access_count, looks, count);
    }
    for (uint32_t i = 0; i < branch->access_count; i++)
        if (branch->accesses[i].mode != ACCESS_READ)
            return true;
    return false;
}

static bool back_is_fine(const struct blocks *blocks, struct nodes *nodes, uint32_t depth,
                         const struct branch *sleeper)
{
    agent_id running = blocks->running.at[depth];

    return running == AGENT_NONE || enabled_has(&blocks->enabled, depth, running) ||
           !branch_may_enable(nodes, sleeper, running);
}

struct waking {
    const struct blocks *blocks;
    struct nodes *nodes;
    uint32_t depth;
};

static bool sleeper_is_fine(void *context, const struct branch *sleeper)
{
    const struct waking *w = context;

    return front_is_fine(w->blocks, w->nodes, w->depth, sleeper) &&
           back_is_fine(w->blocks, w->nodes, w->depth, sleeper);
}

void blocks_wake(const struct blocks *blocks, struct nodes *nodes, uint32_t depth)
{
    struct waking waking = {blocks, nodes, depth};

    sleep_wake(&nodes->sleep, depth, sleeper_is_fine, &waking);
}
