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

bool enabled_has(const struct enabled_sets *sets, uint32_t depth, agent_id agent);

/* Plans all that were enabled there. */
void enabled_plan(const struct enabled_sets *sets, struct nodes *nodes, uint32_t depth);

#endif
