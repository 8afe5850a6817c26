#ifndef RADDLE_SCRIPT_DESCRIBE_H
#define RADDLE_SCRIPT_DESCRIBE_H

#include <stdio.h>

#include "model/world.h"
#include "script/target.h"

/* Writes an operation that was done or is pending: "store x, 1". No newline. `result` is what its thread got,
 * or NULL. */
void script_describe_op(const struct script *script, const struct world *world, const struct op *op,
                        outcome_id outcome, const cell_value *result, FILE *out);

/* Writes the name of an agent: "T0", "T0's buffer", "T0's buffer of x". */
void script_describe_agent(const struct script *script, const struct world *world, agent_id agent,
                           FILE *out);

#endif
