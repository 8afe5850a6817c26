#ifndef RADDLE_RUNTIME_RECORD_H
#define RADDLE_RUNTIME_RECORD_H

#include "runtime/native.h"

/* What a replay keeps of a run besides its events, for reports: the stacks of the steps, and what the memory and
 * the objects that the run touches hold after each step. Cells that an earlier replay of the same run met are in
 * session.cells, and so are followed from the start. Does nothing unless the job is SESSION_REPLAY. */

/* Before the first step, with the world at its start. */
void record_open(void);

/* The stack of what `agent` will do next, as session_step.stack has it. */
uint32_t record_stack(agent_id agent);

/* After each step, which did `op` as the last one of session.steps. */
void record_step(const struct op *op);

/* At the end of a run in which nobody can go on: who waits for what. */
void record_waits(void);

#endif
