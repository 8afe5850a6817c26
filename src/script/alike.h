#ifndef RADDLE_SCRIPT_ALIKE_H
#define RADDLE_SCRIPT_ALIKE_H

#include "script/target.h"

/* target_ops.alike: whether two threads have the same rows ahead of them, and the same in all registers that they have. All of them count: their last values
 * are looked at in the end. */
bool script_alike(struct target *target, struct world *world, agent_id a, agent_id b, bool past,
                  const char **reason);

#endif
