#ifndef RADDLE_RUNTIME_JOB_ALIKE_H
#define RADDLE_RUNTIME_JOB_ALIKE_H

/* Whether two threads of the program are interchangeable (target_ops.alike): the same code ahead of them, by its fingerprint, and the same values in it. What is a thread's own,
 * its stack, its thread-local memory, its blocks of the heap, takes the place of what is the other's own. */

#include "model/target.h"

/* Without a past two threads that began alike have the same in their local variables, as far as these have been written: what was in large ones before that does not count. */
bool alike_now(struct target *target, struct world *world, agent_id a, agent_id b, bool past,
               const char **reason);

/* For a replay: notes why the two threads that session.compared names are not interchangeable now. */
void alike_note(void);

/* target_ops.began_alike. Not if one of them has called a function whose result may be another one each time. */
bool alike_at_first(struct target *target, struct world *world, agent_id a, agent_id b);

#endif
