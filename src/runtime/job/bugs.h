#ifndef RADDLE_RUNTIME_JOB_BUGS_H
#define RADDLE_RUNTIME_JOB_BUGS_H

/* What a run has shown: bugs, for the session. */

#include "explore/explorer.h"
#include "runtime/program/native.h"

/* The thread of an agent; of a buffer, whose stores it holds. */
struct native_thread *job_thread_of(agent_id agent);

/* Where an operation was asked for. */
struct session_site job_site_of(const struct op *op);

/* Adds the bugs of the run that has ended so, but for those that the session has, or that the driver reports. */
void bugs_of_run(enum ending ending);

/* Whether both are the same bug, as a reader sees it. And texts; NULL is fine. */
bool bug_equal(const struct session_bug *a, const struct session_bug *b);
bool bug_text_equal(session_text a, session_text b);

#endif
