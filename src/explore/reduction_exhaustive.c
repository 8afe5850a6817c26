#include "explore/nodes.h"

/* Every interleaving: no reduction at all, and so the oracle of all others. */
static struct reduction *exhaustive_open(struct arena *arena)
{
    struct nodes *nodes = arena_alloc(arena, sizeof *nodes);

    nodes_open(nodes, arena, false);
    return &nodes->base;
}

static void exhaustive_enter(struct reduction *reduction, uint32_t depth, agent_id preferred)
{
    struct nodes *nodes = (struct nodes *)reduction;

    nodes_enter(nodes, depth);
    if (preferred != AGENT_NONE && world_enabled(reduction->execution->world, preferred))
        nodes_plan(nodes, depth, (struct choice){preferred, OUTCOME_ANY, 0}, false);
    nodes_plan_all(nodes, depth);
}

/* All agents are planned already; what is left is the other outcomes of an operation. */
static void exhaustive_reverse(struct reduction *reduction, struct race *race)
{
    struct nodes *nodes = (struct nodes *)reduction;

    if (race->agent == reduction->execution->events.at[race->first].agent)
        nodes_plan(nodes, race->first, race_choice(race), true);
}

const struct reduction_ops reduction_exhaustive = {
    .name = "exhaustive",
    .summary = "every interleaving",
    .takes_bound = true,
    .with_states = &reduction_exhaustive,
    .open = exhaustive_open,
    .enter = exhaustive_enter,
    .more = nodes_more,
    .next = nodes_next,
    .reverse = exhaustive_reverse,
    .leave = nodes_leave,
};
