#ifndef RADDLE_MODEL_LIVES_H
#define RADDLE_MODEL_LIVES_H

#include "model/world.h"

/* How threads begin, come to their next operation, and end. Under SC, if the target says so, creating and ending a thread and joining one
 * are part of the transitions that they follow: see docs/reductions.md. */

/* The target has put the next operation into `pending`; fills in the rest of it. */
void pending_complete(struct world *world, agent_id agent);

/* The target has brought `agent` to its next operation. Does at once what is no transition of its own. */
void thread_arrive(struct world *world, agent_id agent, struct op *next);

/* Appends the events that the thread's next one needs by what was done so (thread.needs), and by the end of a thread that it joins: others need none. */
void life_causes(const struct world *world, agent_id agent, event_vec *causes);

#endif
