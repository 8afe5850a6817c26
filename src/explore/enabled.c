#include "explore/enabled.h"

void enabled_enter(struct enabled_sets *sets, struct execution *x)
{
    const struct world *world = x->world;

    vec_push(x->arena, &sets->first, sets->agents.count);
    for (uint32_t i = 0; i < world->active.count; i++)
        if (world_enabled(x->world, world->active.at[i]))
            vec_push(x->arena, &sets->agents, world->active.at[i]);
}

void enabled_leave(struct enabled_sets *sets, uint32_t depth)
{
    sets->agents.count = sets->first.at[depth];
    sets->first.count = depth;
}

static uint32_t enabled_end(const struct enabled_sets *sets, uint32_t depth)
{
    return depth + 1 < sets->first.count ? sets->first.at[depth + 1] : sets->agents.count;
}

const agent_id *enabled_at(const struct enabled_sets *sets, uint32_t depth, uint32_t *count)
{
    *count = enabled_end(sets, depth) - sets->first.at[depth];
    return sets->agents.at + sets->first.at[depth];
}

bool enabled_has(const struct enabled_sets *sets, uint32_t depth, agent_id agent)
{
    for (uint32_t i = sets->first.at[depth]; i < enabled_end(sets, depth); i++)
        if (sets->agents.at[i] == agent)
            return true;
    return false;
}

void enabled_plan(const struct enabled_sets *sets, struct nodes *nodes, uint32_t depth)
{
    for (uint32_t i = sets->first.at[depth]; i < enabled_end(sets, depth); i++)
        nodes_plan(nodes, depth, (struct choice){sets->agents.at[i], OUTCOME_ANY, 0}, false);
}

void enabled_reverse(const struct enabled_sets *sets, struct nodes *nodes, event_id first,
                     agent_id agent, struct vclock pre)
{
    const struct execution *x = nodes->base.execution;
    agent_id planned = enabled_has(sets, first, agent) ? agent : AGENT_NONE;

    for (event_id id = first; id < x->events.count && planned == AGENT_NONE; id++)
        if (clock_has(x, pre, id) && enabled_has(sets, first, x->events.at[id].agent))
            planned = x->events.at[id].agent;
    if (planned == AGENT_NONE)
        enabled_plan(sets, nodes, first);
    else
        nodes_plan(nodes, first, (struct choice){planned, OUTCOME_ANY, 0}, false);
}
