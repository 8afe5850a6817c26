#ifndef RADDLE_EXPLORE_ENABLED_H
#define RADDLE_EXPLORE_ENABLED_H

#include "explore/nodes.h"

/* Who was enabled in each state on the stack, for reductions that may have to try all of them later. */
struct enabled_sets {
    VEC(agent_id) agents; /* of all states, one after the other */
    VEC(uint32_t) first;  /* by depth */
};

/* Notes who is enabled in the present state. */
void enabled_enter(struct enabled_sets *sets, struct execution *x);

void enabled_leave(struct enabled_sets *sets, uint32_t depth);

/* Those of the state at `depth`. */
const agent_id *enabled_at(const struct enabled_sets *sets, uint32_t depth, uint32_t *count);

bool enabled_has(const struct enabled_sets *sets, uint32_t depth, agent_id agent);

/* Plans what lets an operation of `agent`, which needs what `pre` has, come before event `first` (E of Flanagan and Godefroid): the agent itself, if it was
 * enabled there; else who did something later on that it needs; else all. Only where nobody is asleep: the agent need not be the first of what has to
 * be explored, and what has to come before it shows in the run that it gets. */
void enabled_reverse(const struct enabled_sets *sets, struct nodes *nodes, event_id first,
                     agent_id agent, struct vclock pre);

/* Plans all that were enabled there. */
void enabled_plan(const struct enabled_sets *sets, struct nodes *nodes, uint32_t depth);

#endif
