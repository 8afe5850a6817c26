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
    if (!nodes->at.at[depth].planned && nodes_pick(nodes, depth, preferred, &choice))
        nodes_plan(nodes, depth, choice, false);
}

/* Builds v. sleep(E) ∩ WI(v) ≠ ∅: an equivalent of it was explored already. */
static bool sequence_is_asleep(struct sequenced *o, const struct race *race)
{
    uint32_t count, at;
    const struct branch *const *sleepers = sleep_at(&o->nodes.sleep, race->first, &count);

    sequence_build(&o->v, o->nodes.base.execution, race);
    for (uint32_t i = 0; i < count; i++)
        if (sequence_may_start(&o->v, o->nodes.base.execution, sleepers[i], &at))
            return true;
    return false;
}

static bool branches_are_independent(const struct branch *a, const struct branch *b)
{
    return a->choice.agent != b->choice.agent &&
           !accesses_conflict(a->accesses, a->access_count, b->accesses, b->access_count);
}

/* What is asleep where the sequence is about to be added, in the wakeup tree of the state at `depth`, when its turn comes: all that was explored or
 * planned before it and is independent of the way there. False if that is not known. */
static bool before_collect(struct sequenced *o, uint32_t depth)
{
    const struct node *node = &o->nodes.at.at[depth];
    const struct branch *const *sleepers, *on = node->planned;
    uint32_t count;

    sleepers = sleep_at(&o->nodes.sleep, depth, &count);
    o->before.count = 0;
    for (uint32_t i = 0; i < count; i++)
        vec_push(o->nodes.base.arena, &o->before, sleepers[i]);
    vec_push(o->nodes.base.arena, &o->before, node->current);
    for (uint32_t level = 0; level < o->way.count; level++, on = on->child) {
        uint32_t kept = 0;

        for (; on != o->way.at[level]; on = on->sibling)
            vec_push(o->nodes.base.arena, &o->before, on);
        if (on->inexact)
            return false;
        for (uint32_t i = 0; i < o->before.count; i++)
            if (branches_are_independent(o->before.at[i], on))
                o->before.at[kept++] = o->before.at[i];
        o->before.count = kept;
    }
    for (; on; on = on->sibling)
        vec_push(o->nodes.base.arena, &o->before, on);
    return true;
}

/* Behind `link`, in the wakeup tree of the state at `depth`; above the root of the search that is the owner's business. */
static void tree_append(struct sequenced *o, uint32_t depth, struct branch **link)
{
    if (depth < o->nodes.root) {
        o->nodes.above->insert(o->nodes.above, depth, &o->v);
        return;
    }
    if (o->nodes.shortens && before_collect(o, depth))
        sequence_shorten(&o->v, o->nodes.base.execution, o->before.at, o->before.count);
    for (uint32_t i = o->v.start; i < o->v.steps.count; i++) {
        if (o->v.steps.at[i].removed)
            continue;
        *link = sequence_branch(&o->v, o->nodes.base.execution, i);
        link = &(*link)->child;
    }
}

/* insert(v, wut(E)): follows the first branches that v may start with, and adds what is left of v behind the
 * last of them; unless that one is a leaf, for then all that is left will be explored behind it anyway. */
static void tree_insert(struct sequenced *o, uint32_t depth)
{
    struct execution *x = o->nodes.base.execution;
    struct branch **list = &o->nodes.at.at[depth].planned;

    o->way.count = 0;
    for (;;) {
        struct branch **link = list;
        uint32_t at;

        while (*link && !sequence_may_start(&o->v, x, *link, &at))
            link = &(*link)->sibling;
        if (!*link) {
            tree_append(o, depth, link);
            return;
        }
        if (at != UINT32_MAX)
            sequence_remove(&o->v, at);
        if (o->v.start == o->v.steps.count || !(*link)->child)
            return;
        vec_push(x->arena, &o->way, *link);
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
    struct choice choice = race_choice(race);

    /* the usual cases, without building v: most races were reversed in an earlier run, or will be */
    if (race->initial && (sleep_has(&o->nodes.sleep, race->first, choice) ||
                          tree_has_leaf(o->nodes.at.at[race->first].planned, choice)))
        return;
    if (!sequence_is_asleep(o, race))
        tree_insert(o, race->first);
}

const struct reduction_ops reduction_optimal = {
    .name = "optimal",
    .summary = "wakeup trees and sleep sets: each trace once",
    .sleeps = true,
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
