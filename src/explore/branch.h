#ifndef RADDLE_EXPLORE_BRANCH_H
#define RADDLE_EXPLORE_BRANCH_H

#include "explore/reduction.h"

/* Makes a branch where there is memory for one, with a copy of the accesses; and gives up what that took. */
void branch_init(struct arena *arena, struct branch *branch, struct choice choice,
                 const struct access *accesses, uint32_t access_count);
void branch_end(struct arena *arena, struct branch *branch);

/* A new branch with a copy of the accesses. */
struct branch *branch_new(struct arena *arena, struct choice choice, const struct access *accesses,
                          uint32_t access_count);

/* Frees one branch, or it with all its siblings and all below. NULL is fine. */
void branch_free(struct arena *arena, struct branch *branch);
void branch_free_tree(struct arena *arena, struct branch *branch);

/* A new branch that does what event `id` did. */
struct branch *branch_of_event(struct arena *arena, const struct execution *x, event_id id);

/* Replaces what the branch touches by what event `id` did touch. */
void branch_set_event(struct arena *arena, struct branch *branch, const struct execution *x,
                      event_id id);

/* Whether the branch commutes with event `id` of another agent. */
static inline bool branch_independent(const struct branch *branch, const struct execution *x,
                                      event_id id)
{
    const struct event *event = &x->events.at[id];

    for (uint32_t i = 0; i < event->access_count; i++)
        for (uint32_t j = 0; j < branch->access_count; j++)
            if (access_conflicts(&x->accesses.at[event->accesses + i].access, &branch->accesses[j]))
                return false;
    return true;
}

/* Those asleep in one state: sleep_sets.sleepers.at[first … end - 1]. */
struct sleep_set {
    uint32_t first, end;
    /* sleep_bit of the agents, and of what they touch: who has none of these wakes up nobody. There may be more. */
    uint64_t agents, locations;
};

static inline uint64_t sleep_bit(uint32_t number)
{
    return (uint64_t)1 << number % 64;
}

/* The sleep sets of all states on the stack: for each, branches that were explored there or at a state
 * before it, and that commute with all since. Exploring them again would be in vain. Most events wake nobody up: then the set of the next state is the same, in the same place. */
struct sleep_sets {
    struct arena *arena;
    VEC(const struct branch *) sleepers; /* of all states; those of the deepest one are the last */
    VEC(struct sleep_set) at;            /* by depth */
};

/* The state after event `depth` - 1 (or the initial one): inherits what commutes with that event. */
void sleep_enter(struct sleep_sets *sets, const struct execution *x, uint32_t depth);

/* A branch of the deepest state was explored: it falls asleep there. The branch must live as long. */
void sleep_add(struct sleep_sets *sets, uint32_t depth, const struct branch *branch);

void sleep_leave(struct sleep_sets *sets, uint32_t depth);

/* Wakes up those of the deepest state that do not stay. */
void sleep_wake(struct sleep_sets *sets, uint32_t depth,
                bool (*stays)(void *context, const struct branch *sleeper), void *context);

/* Those asleep at `depth`. */
static inline const struct branch *const *sleep_at(const struct sleep_sets *sets, uint32_t depth,
                                                   uint32_t *count)
{
    const struct sleep_set *set = &sets->at.at[depth];

    *count = set->end - set->first;
    return sets->sleepers.at + set->first;
}

/* Settles the outcome of a choice in the present state. */
void choice_set_outcome(const struct world *world, struct choice *choice, outcome_id outcome);

bool sleep_has(const struct sleep_sets *sets, uint32_t depth, struct choice choice);

/* Whether `agent` is asleep there, with some outcome. */
bool sleep_has_agent(const struct sleep_sets *sets, uint32_t depth, agent_id agent);

/* An enabled agent with an outcome that is not asleep in the deepest, present state; `preferred` if it can.
 * False if there is none. */
bool sleep_pick(const struct sleep_sets *sets, struct execution *x, uint32_t depth,
                agent_id preferred, struct choice *choice);

/* Same for one agent. */
bool sleep_pick_outcome(const struct sleep_sets *sets, struct execution *x, uint32_t depth,
                        struct choice *choice);

#endif
