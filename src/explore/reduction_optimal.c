#include "base/check.h"
#include "explore/sequence.h"

/* Optimal DPOR with wakeup trees (Abdulla, Aronis, Jonsson, Sagonas 2014, Algorithm 2), with outcomes as
 * branches of their own. Each Mazurkiewicz trace is explored once, and no run is given up.
 *
 * All races of each complete execution are reversed, also those between events that an earlier execution had, too: what
 * does not happen after the first of them may be different now, and so the sequence that reverses them. Unless that cannot matter any more:
 * if a leaf of the wakeup tree, or a sleeping branch, consists of nothing but events that are still there, of the operation of the race, and of what commutes with all of the sequence, the
 * new events included, then it is a weak initial of the later sequence, too. Leaves stay leaves, and sleepers asleep, as long as the state is on the stack. Such a race is `settled`.
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

/* Whether what follows the first event of the race is as good as when it was settled: only new events may make a difference. */
static bool race_is_settled(const struct execution *x, const struct race *race)
{
    if (!race->settled || race->reach > x->fresh)
        return false;
    for (event_id id = x->fresh; race->met_count && id < x->events.count; id++) {
        const struct event *event = &x->events.at[id];

        if (race_leaves_out(x, race, id))
            continue;
        for (uint32_t i = 0; i < race->met_count; i++) {
            if (race->met[i].agent == event->agent)
                return false;
            for (uint32_t k = 0; k < event->access_count; k++)
                if (access_conflicts(&x->accesses.at[event->accesses + k].access,
                                     &race->met[i].access))
                    return false;
        }
    }
    return true;
}

/* The branch does something that all of v commutes with. */
static void branch_meet(struct sequence *v, const struct branch *branch)
{
    v->lasting &= v->met_count < RACE_MET_MAX && branch->access_count == 1 && !branch->inexact;
    if (v->lasting)
        v->met[v->met_count++] = (struct met){branch->choice.agent, branch->accesses[0]};
}

/* The branch does what step `at` of v does, or nothing of v. */
static void branch_follow(struct sequence *v, const struct branch *branch, uint32_t at)
{
    if (at == UINT32_MAX)
        branch_meet(v, branch);
    else if (v->steps.at[at].event != EVENT_NONE && v->steps.at[at].event >= v->reach)
        v->reach = v->steps.at[at].event + 1;
}

/* Builds v. sleep(E) ∩ WI(v) ≠ ∅: an equivalent of it was explored already. */
static bool sequence_is_asleep(struct sequenced *o, const struct race *race)
{
    uint32_t count, at;
    const struct branch *const *sleepers = sleep_at(&o->nodes.sleep, race->first, &count);

    sequence_build(&o->v, o->nodes.base.execution, race);
    for (uint32_t i = 0; i < count; i++)
        if (sequence_may_start(&o->v, o->nodes.base.execution, sleepers[i], &at)) {
            branch_follow(&o->v, sleepers[i], at);
            return true;
        }
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
    vec_push(o->nodes.base.arena, &o->before, nodes_look(&o->nodes, depth));
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
        o->v.lasting = false;
        return;
    }
    if (o->nodes.shortens && before_collect(o, depth))
        sequence_shorten(&o->v, o->nodes.base.execution, o->before.at, o->before.count);
    for (uint32_t i = o->v.start; i < o->v.steps.count; i++) {
        if (o->v.steps.at[i].removed)
            continue;
        *link = sequence_branch(&o->v, o->nodes.base.execution, i);
        branch_follow(&o->v, *link, i);
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
        branch_follow(&o->v, *link, at);
        if (at != UINT32_MAX)
            sequence_remove(&o->v, at);
        if (!(*link)->child)
            return;
        if (o->v.start == o->v.steps.count) {
            o->v.lasting = false; /* a longer one may have to go on from here */
            return;
        }
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

static void race_settle(struct race *race, const struct sequence *v)
{
    race->settled = true;
    race->reach = v->reach;
    race->met_count = v->met_count;
    memcpy(race->met, v->met, sizeof race->met);
}

static void optimal_reverse(struct reduction *reduction, struct race *race)
{
    struct sequenced *o = (struct sequenced *)reduction;
    struct choice choice = race_choice(race);

    if (race_is_settled(o->nodes.base.execution, race))
        return;
    /* the usual cases, without building v: most races were reversed in an earlier run, or will be */
    if (race->initial && (sleep_has(&o->nodes.sleep, race->first, choice) ||
                          tree_has_leaf(o->nodes.at.at[race->first].planned, choice))) {
        race->settled = race->first >= o->nodes.root; /* for good; of others, only they know */
        race->reach = race->met_count = 0;
        return;
    }
    if (!sequence_is_asleep(o, race))
        tree_insert(o, race->first);
    race->settled = false;
    if (o->v.lasting && race->follows && race->first >= o->nodes.root)
        race_settle(race, &o->v);
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
