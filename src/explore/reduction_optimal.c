#include "base/check.h"
#include "explore/sequence.h"

/* Optimal DPOR with wakeup trees (Abdulla, Aronis, Jonsson, Sagonas 2014, Algorithm 2), with outcomes as
 * branches of their own. Each Mazurkiewicz trace is explored once, and no run is given up.
 *
 * All races of each complete execution are reversed, also those between events that an earlier execution had, too: what
 * does not happen after the first of them may be different now, and so the sequence that reverses them.
 *
 * The wakeup tree wut(E) of a state is what its node has planned, each branch with what follows it. While a
 * branch is explored, what follows it belongs to the next state. */

static struct reduction *optimal_open(struct arena *arena)
{
    struct sequenced *o = arena_alloc(arena, sizeof *o);

    memset(o, 0, sizeof *o);
    nodes_open(&o->nodes, arena, true);
    return &o->nodes.base;
}

static void optimal_enter(struct reduction *reduction, uint32_t depth, agent_id preferred)
{
    struct nodes *nodes = (struct nodes *)reduction;
    struct choice choice;

    nodes_enter(nodes, depth);
    if (!nodes->at.at[depth].planned &&
        sleep_pick(&nodes->sleep, reduction->execution, depth, preferred, &choice))
        nodes_plan(nodes, depth, choice, false);
}

/* sleep(E) ∩ WI(v) ≠ ∅: an equivalent of v was explored already. */
static bool sequence_asleep(struct sequenced *o, uint32_t depth)
{
    uint32_t count, at;
    const struct branch *const *sleepers = sleep_at(&o->nodes.sleep, depth, &count);

    for (uint32_t i = 0; i < count; i++)
        if (sequence_may_start(&o->v, o->nodes.base.execution, sleepers[i], &at))
            return true;
    return false;
}

static void tree_append(struct sequenced *o, struct branch **link)
{
    for (uint32_t i = o->v.start; i < o->v.steps.count; i++) {
        if (o->v.steps.at[i].removed)
            continue;
        *link = sequence_branch(&o->v, o->nodes.base.execution, i);
        link = &(*link)->child;
    }
}

/* insert(v, wut(E)): follows the first branches that v may start with, and adds what is left of v behind the
 * last of them; unless that one is a leaf, for then all that is left will be explored behind it anyway. */
static void tree_insert(struct sequenced *o, struct branch **list)
{
    struct execution *x = o->nodes.base.execution;

    for (;;) {
        struct branch **link = list;
        uint32_t at;

        while (*link && !sequence_may_start(&o->v, x, *link, &at))
            link = &(*link)->sibling;
        if (!*link) {
            tree_append(o, link);
            return;
        }
        if (at != UINT32_MAX)
            sequence_remove(&o->v, at);
        if (o->v.start == o->v.steps.count || !(*link)->child)
            return;
        list = &(*link)->child;
    }
}

/* Whether a branch is planned at the root with nothing behind it: every sequence that may start with it will be explored
 * there, and an insertion would add nothing that is needed. */
static bool tree_has_leaf(const struct branch *list, struct choice choice)
{
    for (; list; list = list->sibling)
        if (list->choice.agent == choice.agent && list->choice.outcome == choice.outcome)
            return !list->child;
    return false;
}

static void optimal_reverse(struct reduction *reduction, const struct race *race)
{
    struct sequenced *o = (struct sequenced *)reduction;
    struct choice choice = {race->agent, race->outcome};

    /* the usual cases, without building v: most races were reversed in an earlier run, or will be */
    if (race->initial && (sleep_has(&o->nodes.sleep, race->first, choice) ||
                          tree_has_leaf(o->nodes.at.at[race->first].planned, choice)))
        return;
    sequence_build(&o->v, reduction->execution, race);
    if (!sequence_asleep(o, race->first))
        tree_insert(o, &o->nodes.at.at[race->first].planned);
}

const struct reduction_ops reduction_optimal = {
    .name = "optimal",
    .summary = "wakeup trees and sleep sets: each trace once",
    .races_at_end = true,
    .with_states =
        &reduction_source, /* runs that stop are too short to tell what a wakeup tree needs */
    .open = optimal_open,
    .enter = optimal_enter,
    .more = nodes_more,
    .next = nodes_next,
    .reverse = optimal_reverse,
    .leave = nodes_leave,
};
