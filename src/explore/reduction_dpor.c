#include "explore/blocks.h"

/* Dynamic partial order reduction by clock vectors (Flanagan and Godefroid 2005; clock-vector-por, Table 2):
 * backtrack sets that grow into persistent sets, no sleep sets. */
struct dpor {
    struct nodes nodes;
    struct blocks blocks;
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
    const struct enabled_sets *enabled = &d->blocks.enabled;

    nodes_enter(&d->nodes, depth);
    blocks_enter(&d->blocks, &d->nodes, depth, preferred);
    if (enabled->agents.count == enabled->first.at[depth])
        return;
    if (preferred == AGENT_NONE || !enabled_has(enabled, depth, preferred))
        preferred = enabled->agents.at[enabled->first.at[depth]];
    nodes_plan(&d->nodes, depth, (struct choice){preferred, OUTCOME_ANY, 0}, false);
}

static void dpor_reverse(struct reduction *reduction, struct race *race)
{
    struct dpor *d = (struct dpor *)reduction;

    if (race->agent == reduction->execution->events.at[race->first].agent)
        nodes_plan(&d->nodes, race->first, race_choice(race), true);
    else if (reduction->bounded)
        blocks_reverse(&d->blocks, &d->nodes, race);
    else
        enabled_reverse(&d->blocks.enabled, &d->nodes, race->first, race->agent,
                        race_pre(reduction->execution, race));
}

static void dpor_give_up(struct reduction *reduction, uint32_t depth)
{
    struct dpor *d = (struct dpor *)reduction;

    if (reduction->bounded)
        blocks_give_up(&d->blocks, &d->nodes, depth);
}

static void dpor_leave(struct reduction *reduction, uint32_t depth)
{
    struct dpor *d = (struct dpor *)reduction;

    nodes_leave(reduction, depth);
    blocks_leave(&d->blocks, depth);
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
