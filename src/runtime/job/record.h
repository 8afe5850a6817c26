#ifndef RADDLE_RUNTIME_JOB_RECORD_H
#define RADDLE_RUNTIME_JOB_RECORD_H

#include "runtime/program/native.h"

/* What a replay keeps of a run besides its events, for reports: the stacks of the steps, and what the memory and
 * the objects that the run touches hold after each step. Cells that an earlier replay of the same run met are in
 * session.cells, and so are followed from the start. Does nothing unless the job is SESSION_REPLAY. */

/* Before the program runs, and when all its threads have come to their first visible operation. */
void record_open(void);
void record_start(void);

/* The stack of what `agent` will do next, as session_step.stack has it. */
uint32_t record_stack(agent_id agent);

/* After each step, which did `op` as the last one of session.steps. */
void record_step(const struct op *op);

/* At the end of a run in which nobody can go on: who waits for what. */
void record_waits(void);

/* Where in session.steps an event of the run is, without the plain accesses between. */
uint32_t record_step_of(event_id event);

/* ---- between the files of the record */

/* The callers of the innermost frame. */
uint32_t record_callers(const struct native_thread *thread, const struct raddle_frame *frame);

/* The memory that `op` touches holds `value` from that step on. */
void record_written(const struct op *op, cell_value value, uint32_t step);

/* record_plain.c: plain accesses are no events when races are looked for, but part of the story. */
void record_plain_open(void);

/* Adds those that were made since the last call to session.steps. */
void record_plain_take(void);

#endif
