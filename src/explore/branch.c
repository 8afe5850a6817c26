#include "explore/branch.h"

#include "base/check.h"

/* Room for so many accesses. */
static void accesses_make(struct arena *arena, struct branch *branch, uint32_t count)
{
    branch->access_count = count;
    branch->accesses = count == 0   ? NULL
                       : count == 1 ? &branch->own
                                    : arena_alloc(arena, count * sizeof *branch->accesses);
}

void branch_init(struct arena *arena, struct branch *branch, struct choice choice,
                 const struct access *accesses, uint32_t access_count)
{
    *branch = (struct branch){.choice = choice};
    accesses_make(arena, branch, access_count);
    for (uint32_t i = 0; i < access_count; i++)
        branch->accesses[i] = accesses[i];
}

void branch_end(struct arena *arena, struct branch *branch)
{
    if (branch->access_count > 1)
        arena_free(arena, branch->accesses, branch->access_count * sizeof *branch->accesses);
}

struct branch *branch_new(struct arena *arena, struct choice choice, const struct access *accesses,
                          uint32_t access_count)
{
    struct branch *branch = arena_alloc(arena, sizeof *branch);

    branch_init(arena, branch, choice, accesses, access_count);
    return branch;
}

void branch_free(struct arena *arena, struct branch *branch)
{
    if (!branch)
        return;
    branch_end(arena, branch);
    arena_free(arena, branch, sizeof *branch);
}

/* Deep trees are chains of single children: only siblings recurse. */
void branch_free_tree(struct arena *arena, struct branch *branch)
{
    while (branch) {
        struct branch *child = branch->child;

        if (branch->sibling)
            branch_free_tree(arena, branch->sibling);
        branch_free(arena, branch);
        branch = child;
    }
}

static void accesses_of_event(struct arena *arena, struct branch *branch, const struct execution *x,
                              const struct event *event)
{
    accesses_make(arena, branch, event->access_count);
    for (uint32_t i = 0; i < event->access_count; i++)
        branch->accesses[i] = x->accesses.at[event->accesses + i].access;
}

void branch_set_event(struct arena *arena, struct branch *branch, const struct execution *x,
                      event_id id)
{
    const struct event *event = &x->events.at[id];

    branch_end(arena, branch);
    branch->choice.outcome = event->outcome;
    branch->choice.wakes = event_wakes(event);
    branch->inexact = false;
    accesses_of_event(arena, branch, x, event);
}

struct branch *branch_of_event(struct arena *arena, const struct execution *x, event_id id)
{
    const struct event *event = &x->events.at[id];
    struct branch *branch = arena_alloc(arena, sizeof *branch);

    *branch = (struct branch){.choice = {event->agent, event->outcome, event_wakes(event)}};
    accesses_of_event(arena, branch, x, event);
    return branch;
}

/* Puts it behind all others; the set must be the last one. */
static void sleeper_add(struct sleep_sets *sets, struct sleep_set *set,
                        const struct branch *sleeper)
{
    vec_push(sets->arena, &sets->sleepers, sleeper);
    set->end = sets->sleepers.count;
    set->agents |= sleep_bit(sleeper->choice.agent);
    for (uint32_t i = 0; i < sleeper->access_count; i++)
        set->locations |= sleep_bit(sleeper->accesses[i].loc);
}

/* Whether the event may wake up one of them. */
static bool sleepers_may_wake(const struct sleep_set *set, const struct execution *x,
                              const struct event *event)
{
    bool may = set->agents & sleep_bit(event->agent);

    for (uint32_t i = 0; i < event->access_count; i++)
        may |= (set->locations & sleep_bit(x->accesses.at[event->accesses + i].access.loc)) != 0;
    return may;
}

static bool sleeper_stays(const struct branch *sleeper, const struct execution *x, event_id id)
{
    return sleeper->choice.agent != x->events.at[id].agent && branch_independent(sleeper, x, id);
}

/* Those of the state before, `set` - 1, that event `id` does not wake up. */
static void sleepers_inherit(struct sleep_sets *sets, struct sleep_set *set,
                             const struct execution *x, event_id id)
{
    const struct sleep_set *before = set - 1;

    if (!sleepers_may_wake(before, x, &x->events.at[id])) {
        *set = *before;
        for (uint32_t i = set->first; i < set->end; i++)
            SLOW_CHECK(sleeper_stays(sets->sleepers.at[i], x, id), "somebody wakes up unseen");
        return;
    }
    *set = (struct sleep_set){.first = sets->sleepers.count, .end = sets->sleepers.count};
    for (uint32_t i = before->first; i < before->end; i++)
        if (sleeper_stays(sets->sleepers.at[i], x, id))
            sleeper_add(sets, set, sets->sleepers.at[i]);
}

void sleep_enter(struct sleep_sets *sets, const struct execution *x, uint32_t depth)
{
    struct sleep_set *set;

    CHECK(sets->at.count == depth, "sleep sets out of step");
    vec_reserve(sets->arena, &sets->sleepers, 1); /* so that an empty set is somewhere */
    vec_reserve(sets->arena, &sets->at, 1);
    set = &sets->at.at[sets->at.count++];
    if (depth > 0)
        sleepers_inherit(sets, set, x, depth - 1);
    else
        *set = (struct sleep_set){0};
}

void sleep_add(struct sleep_sets *sets, uint32_t depth, const struct branch *branch)
{
    CHECK(sets->at.count == depth + 1, "only the deepest state can grow");
    sleeper_add(sets, &sets->at.at[depth], branch);
}

void sleep_leave(struct sleep_sets *sets, uint32_t depth)
{
    sets->sleepers.count = depth > 0 ? sets->at.at[depth - 1].end : 0;
    sets->at.count = depth;
}

void sleep_wake(struct sleep_sets *sets, uint32_t depth,
                bool (*stays)(void *context, const struct branch *sleeper), void *context)
{
    struct sleep_set before = sets->at.at[depth];
    struct sleep_set *set = &sets->at.at[depth];

    CHECK(sets->at.count == depth + 1, "only in the deepest state can somebody wake up");
    /* they may be those of the state before, too: who stays gets another place */
    *set = (struct sleep_set){.first = sets->sleepers.count, .end = sets->sleepers.count};
    for (uint32_t i = before.first; i < before.end; i++)
        if (stays(context, sets->sleepers.at[i]))
            sleeper_add(sets, set, sets->sleepers.at[i]);
}

void choice_set_outcome(const struct world *world, struct choice *choice, outcome_id outcome)
{
    choice->outcome = outcome;
    choice->wakes = outcome != OUTCOME_LOST && !world->agents.at[choice->agent].is_buffer &&
                    world->threads.at[choice->agent].pending.kind == OP_COND_SIGNAL;
}

bool sleep_has(const struct sleep_sets *sets, uint32_t depth, struct choice choice)
{
    uint32_t count;
    const struct branch *const *sleepers = sleep_at(sets, depth, &count);

    if (!(sets->at.at[depth].agents & sleep_bit(choice.agent)))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (sleepers[i]->choice.agent == choice.agent &&
            sleepers[i]->choice.outcome == choice.outcome)
            return true;
    return false;
}

bool sleep_has_agent(const struct sleep_sets *sets, uint32_t depth, agent_id agent)
{
    uint32_t count;
    const struct branch *const *sleepers = sleep_at(sets, depth, &count);

    for (uint32_t i = 0; i < count; i++)
        if (sleepers[i]->choice.agent == agent)
            return true;
    return false;
}

bool sleep_pick_outcome(const struct sleep_sets *sets, struct execution *x, uint32_t depth,
                        struct choice *choice)
{
    if (!world_forks(x->world, choice->agent)) {
        choice->outcome = choice->wakes = 0;
        return !sleep_has(sets, depth, *choice);
    }
    world_outcomes(x->world, choice->agent, &x->outcomes);
    for (uint32_t i = 0; i < x->outcomes.count; i++) {
        choice_set_outcome(x->world, choice, x->outcomes.at[i]);
        if (!sleep_has(sets, depth, *choice))
            return true;
    }
    return false;
}

/* Somebody who can wait longer: if everybody else goes first, loops around timed waits come to an end. */
static bool is_patient(const struct world *world, agent_id agent)
{
    return !world->agents.at[agent].is_buffer &&
           world->threads.at[agent].pending.kind == OP_COND_TIMEOUT;
}

/* Whether the agent can do something that is not asleep; and if it is not one of those who are asked (`patient`), *others. */
static bool sleep_pick_agent(const struct sleep_sets *sets, struct execution *x, uint32_t depth,
                             bool patient, struct choice *choice, bool *others)
{
    struct world *world = x->world;
    agent_id agent = choice->agent;

    if (world->threads.at[agent].status != THREAD_RUNNING && !world->agents.at[agent].is_buffer)
        return false;
    if (is_patient(world, agent) != patient) {
        *others = true;
        return false;
    }
    return world_enabled(world, agent) && sleep_pick_outcome(sets, x, depth, choice);
}

static bool sleep_pick_among(const struct sleep_sets *sets, struct execution *x, uint32_t depth,
                             bool patient, agent_id preferred, struct choice *choice, bool *others)
{
    const struct world *world = x->world;

    choice->agent = preferred;
    if (preferred != AGENT_NONE && sleep_pick_agent(sets, x, depth, patient, choice, others))
        return true;
    for (uint32_t i = 0; i < world->active.count; i++) {
        choice->agent = world->active.at[i];
        if (choice->agent != preferred && sleep_pick_agent(sets, x, depth, patient, choice, others))
            return true;
    }
    return false;
}

bool sleep_pick(const struct sleep_sets *sets, struct execution *x, uint32_t depth,
                agent_id preferred, struct choice *choice)
{
    bool others = false;

    return sleep_pick_among(sets, x, depth, false, preferred, choice, &others) ||
           (others && sleep_pick_among(sets, x, depth, true, preferred, choice, &others));
}
