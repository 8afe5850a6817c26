#include "explore/enabled.h"

/* Dynamic partial order reduction by clock vectors (Flanagan and Godefroid 2005; clock-vector-por, Table 2):
 * backtrack sets that grow into persistent sets, no sleep sets.
 *
 * Under a preemption bound it also plans each reversal where the block of the first event began (Coons,
 * Musuvathi, McKinley 2013), and wherever in that block a switch is free: there it costs no preemption that the
 * block did not cost already. That is not enough if operations wait: before an event of the block that lets somebody go on, the
 * thread that is switched to may come to wait for it, and the switch back is free there. So before such events, too. */
struct dpor {
    struct nodes nodes;
    struct enabled_sets enabled;
    VEC(agent_id) running; /* by depth: the thread that ran last */
    VEC(bool) free_switch; /* by depth: leaving that thread is no preemption */
};

static struct reduction *dpor_open(struct arena *arena)
{
    struct dpor *d = arena_alloc(arena, sizeof *d);

    memset(d, 0, sizeof *d);
    nodes_open(&d->nodes, arena, false);
    return &d->nodes.base;
}

static void dpor_enter(struct reduction *reduction, uint32_t depth, agent_id preferred)
{
    struct dpor *d = (struct dpor *)reduction;
    const struct world *world = reduction->execution->world;
    const agent_id *enabled;

    nodes_enter(&d->nodes, depth);
    enabled_enter(&d->enabled, reduction->execution);
    vec_push(reduction->arena, &d->running, preferred);
    vec_push(reduction->arena, &d->free_switch,
             preferred == AGENT_NONE || !enabled_has(&d->enabled, depth, preferred) ||
                 world->threads.at[preferred].pending.kind == OP_YIELD);
    if (d->enabled.agents.count == d->enabled.first.at[depth])
        return;
    enabled = d->enabled.agents.at + d->enabled.first.at[depth];
    if (preferred == AGENT_NONE || !enabled_has(&d->enabled, depth, preferred))
        preferred = enabled[0];
    nodes_plan(&d->nodes, depth, (struct choice){preferred, OUTCOME_ANY, 0}, false);
}

/* Plans what lets the operation of the race come before the state at `depth`. One agent is enough, unless a bound is in force: it may forbid what must
 * follow. */
static void plan_at(struct dpor *d, uint32_t depth, const struct race *race)
{
    const struct execution *x = d->nodes.base.execution;
    struct vclock pre = race_pre(x, race);
    bool planned = false;

    if (!d->nodes.base.bounded) {
        enabled_reverse(&d->enabled, &d->nodes, depth, race->agent, pre);
        return;
    }
    for (event_id id = depth; id < x->events.count; id++) {
        agent_id agent = x->events.at[id].agent;

        if (clock_has(x, pre, id) && enabled_has(&d->enabled, depth, agent)) {
            nodes_plan(&d->nodes, depth, (struct choice){agent, OUTCOME_ANY, 0}, false);
            planned = true;
        }
    }
    if (enabled_has(&d->enabled, depth, race->agent))
        nodes_plan(&d->nodes, depth, (struct choice){race->agent, OUTCOME_ANY, 0}, false);
    else if (!planned)
        enabled_plan(&d->enabled, &d->nodes, depth);
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

/* Plans in the states, from the event back to where its block began, in which a switch is free, or before which nobody was let go on: there the
 * other one may come to wait, and the switch back is free. The block is that of the thread that took the event, or ran when
 * a buffer took it. */
static void plan_in_block(struct dpor *d, const struct race *race)
{
    const struct execution *x = d->nodes.base.execution;
    event_id id = race->first;
    agent_id agent = x->events.at[id].agent;
    agent_id thread = x->world->agents.at[agent].is_buffer ? d->running.at[id] : agent;

    while (id > 0 && d->running.at[id] == thread) {
        if (d->free_switch.at[id] || event_may_enable(x, id))
            plan_at(d, id, race);
        id--;
    }
    plan_at(d, id, race);
}

static void dpor_reverse(struct reduction *reduction, const struct race *race)
{
    struct dpor *d = (struct dpor *)reduction;

    if (race->agent == reduction->execution->events.at[race->first].agent) {
        nodes_plan(&d->nodes, race->first, race_choice(race), true);
        return;
    }
    plan_at(d, race->first, race);
    if (reduction->bounded)
        plan_in_block(d, race);
}

/* Under a bound, whoever runs goes on as long as it can, and what meets nothing of it would never be tried beside a loop without an end. So all who could go on in the end are
 * planned where they first could while that thread ran, and where leaving it last cost nothing. */
static void dpor_give_up(struct reduction *reduction, uint32_t depth)
{
    struct dpor *d = (struct dpor *)reduction;
    agent_id thread = d->running.at[depth];
    uint32_t first = depth, last_free = depth;

    if (!reduction->bounded)
        return;
    while (first > 0 && d->running.at[first] == thread)
        first--;
    while (last_free > first && !d->free_switch.at[last_free])
        last_free--;
    enabled_plan(&d->enabled, &d->nodes, first);
    enabled_plan(&d->enabled, &d->nodes, last_free);
    for (uint32_t i = d->enabled.first.at[depth]; i < d->enabled.agents.count; i++) {
        agent_id agent = d->enabled.agents.at[i];
        uint32_t at = first;

        while (at < depth && !enabled_has(&d->enabled, at, agent))
            at++;
        if (agent != thread)
            nodes_plan(&d->nodes, at, (struct choice){agent, OUTCOME_ANY, 0}, false);
    }
}

static void dpor_leave(struct reduction *reduction, uint32_t depth)
{
    struct dpor *d = (struct dpor *)reduction;

    nodes_leave(reduction, depth);
    enabled_leave(&d->enabled, depth);
    d->running.count = d->free_switch.count = depth;
}

const struct reduction_ops reduction_dpor = {
    .name = "dpor",
    .summary = "persistent sets by clock vectors",
    .takes_bound = true,
    .with_states = &reduction_dpor,
    .open = dpor_open,
    .enter = dpor_enter,
    .more = nodes_more,
    .next = nodes_next,
    .reverse = dpor_reverse,
    .give_up = dpor_give_up,
    .leave = dpor_leave,
};
