#include "explore/sequence.h"

/* Source-DPOR (Abdulla, Aronis, Jonsson, Sagonas 2014, Algorithm 1): source sets and sleep sets. No trace is
 * explored twice, but a run may turn out to be redundant on the way, and is given up.
 *
 * Under a preemption bound, one initial of a sequence does not stand for another one, as it may cost more: races are reversed as by `dpor`, and what is left of the difference are the
 * sleep sets, as far as they may be relied on (blocks.c). */

static struct reduction *source_open(struct arena *arena)
{
    struct sequenced *s = arena_alloc(arena, sizeof *s);

    memset(s, 0, sizeof *s);
    nodes_open(&s->nodes, arena, true);
    return &s->nodes.base;
}

/* Who ran last goes on; else whoever can. If that one is asleep, what it would have shown may have to come first, and would be planned by nobody: so all are tried. */
static void bounded_enter(struct sequenced *s, uint32_t depth, agent_id running)
{
    const struct enabled_sets *enabled = &s->blocks.enabled;
    uint32_t first;

    blocks_enter(&s->blocks, &s->nodes, depth, running);
    blocks_wake(&s->blocks, &s->nodes, depth);
    first = enabled->first.at[depth];
    if (enabled->agents.count == first)
        return;
    if (running == AGENT_NONE || !enabled_has(enabled, depth, running))
        running = enabled->agents.at[first];
    if (sleep_has_agent(&s->nodes.sleep, depth, running))
        enabled_plan(enabled, &s->nodes, depth);
    else
        nodes_plan(&s->nodes, depth, (struct choice){running, OUTCOME_ANY, 0}, false);
}

static void source_enter(struct reduction *reduction, uint32_t depth, agent_id preferred)
{
    struct nodes *nodes = (struct nodes *)reduction;
    struct choice choice;

    nodes_enter(nodes, depth);
    nodes_forget(nodes, depth); /* what follows in a wakeup tree, if `optimal` has gone before */
    if (reduction->bounded)
        bounded_enter((struct sequenced *)reduction, depth, preferred);
    else if (nodes_pick(nodes, depth, preferred, &choice))
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

static void source_reverse(struct reduction *reduction, struct race *race)
{
    struct sequenced *s = (struct sequenced *)reduction;
    struct choice first;

    if (race->agent == reduction->execution->events.at[race->first].agent) {
        nodes_plan(&s->nodes, race->first, race_choice(race), true);
        return;
    }
    if (reduction->bounded) {
        blocks_reverse(&s->blocks, &s->nodes, race);
        return;
    }
    sequence_build(&s->v, reduction->execution, race);
    if (sequence_covered(s, race->first))
        return;
    first = s->v.steps.at[0].choice; /* nothing precedes it: an initial */
    nodes_plan(&s->nodes, race->first, (struct choice){first.agent, OUTCOME_ANY, 0}, false);
}

static void source_give_up(struct reduction *reduction, uint32_t depth)
{
    struct sequenced *s = (struct sequenced *)reduction;

    if (reduction->bounded)
        blocks_give_up(&s->blocks, &s->nodes, depth);
}

static void source_leave(struct reduction *reduction, uint32_t depth)
{
    struct sequenced *s = (struct sequenced *)reduction;

    nodes_leave(reduction, depth);
    if (reduction->bounded)
        blocks_leave(&s->blocks, depth);
}

const struct reduction_ops reduction_source = {
    .name = "source",
    .summary = "source sets and sleep sets: each trace once, some runs given up",
    .sleeps = true,
    .takes_bound = true,
    .with_states = &reduction_source,
    .open = source_open,
    .enter = source_enter,
    .more = nodes_more,
    .next = nodes_next,
    .reverse = source_reverse,
    .give_up = source_give_up,
    .leave = source_leave,
};
