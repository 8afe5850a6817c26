#ifndef RADDLE_MODEL_ALIKE_H
#define RADDLE_MODEL_ALIKE_H

#include "model/world.h"

/* Two threads are alike in a state if that state is the same one when the two change places: whatever can follow it for the one can
 * follow it for the other, with the names of the two exchanged (symmetry-discovery, section 3). Where that is not known they are not alike. */

/* Who takes the place of an agent when threads `a` and `b` change places: buffers go with their threads. AGENT_NONE: nobody, as the other one has no such
 * buffer. */
agent_id world_swapped(const struct world *world, agent_id agent, agent_id a, agent_id b);

/* The same for what an access touches: locations that are named by a thread. LOC_NONE: there is none yet. */
loc_id world_swapped_location(struct world *world, loc_id loc, agent_id a, agent_id b);

/* NULL if two different running threads are alike in the present state as far as the world knows: objects, store buffers, what both are about to do. Else why they
 * are not, in a few words. What the target knows is asked by target_ops.alike. */
const char *world_differs(struct world *world, agent_id a, agent_id b);

#endif
