#include "explore/sequence.h"

/* Source-DPOR (Abdulla, Aronis, Jonsson, Sagonas 2014, Algorithm 1): source sets and sleep sets. No trace is
 * explored twice, but a run may turn out to be redundant on the way, and is given up. */

static struct reduction *source_open(struct arena *arena)
{
    struct sequenced *s = arena_alloc(arena, sizeof *s);

    memset(s, 0, sizeof *s);
    nodes_open(&s->nodes, arena, true);
    return &s->nodes.base;
}

static void source_enter(struct reduction *reduction, uint32_t depth, agent_id preferred)
{
    struct nodes *nodes = (struct nodes *)reduction;
    struct choice choice;

    nodes_enter(nodes, depth);
    nodes_forget(nodes, depth); /* what follows in a wakeup tree, if `optimal` has gone before */
    if (nodes_pick(nodes, depth, preferred, &choice))
        nodes_plan(nodes, depth, choice, false);
}

/* Some initial of v is in the backtrack set already, or asleep: then nothing needs to be added. A mere weak
 * initial is not enough: v goes only up to the race, and what comes later may conflict with it. */
static bool sequence_covered(struct sequenced *s, uint32_t depth)
{
    struct execution *x = s->nodes.base.execution;
    uint32_t count, at;
    const struct branch *const *sleepers = sleep_at(&s->nodes.sleep, depth, &count);

    for (uint32_t i = 0; i < count; i++)
        if (sequence_may_start(&s->v, x, sleepers[i], &at) && at != UINT32_MAX)
            return true;
    for (uint32_t i = 0; i < s->v.steps.count; i++) {
        agent_id agent = s->v.steps.at[i].choice.agent;

        if (sequence_first(&s->v, agent) == i && nodes_have(&s->nodes, depth, agent) &&
            sequence_is_initial(&s->v, x, i))
            return true;
    }
    return false;
}

static void source_reverse(struct reduction *reduction, const struct race *race)
{
    struct sequenced *s = (struct sequenced *)reduction;
    struct choice first;

    if (race->agent == reduction->execution->events.at[race->first].agent) {
        nodes_plan(&s->nodes, race->first, race_choice(race), true);
        return;
    }
    sequence_build(&s->v, reduction->execution, race);
    if (sequence_covered(s, race->first))
        return;
    first = s->v.steps.at[0].choice; /* nothing precedes it: an initial */
    nodes_plan(&s->nodes, race->first, (struct choice){first.agent, OUTCOME_ANY, 0}, false);
}

const struct reduction_ops reduction_source = {
    .name = "source",
    .summary = "source sets and sleep sets: each trace once, some runs given up",
    .sleeps = true,
    .with_states = &reduction_source,
    .open = source_open,
    .enter = source_enter,
    .more = nodes_more,
    .next = nodes_next,
    .reverse = source_reverse,
    .leave = nodes_leave,
};
