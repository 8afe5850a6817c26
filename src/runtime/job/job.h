#ifndef RADDLE_RUNTIME_JOB_JOB_H
#define RADDLE_RUNTIME_JOB_JOB_H

/* What the driver has the process do. The top of the runtime: it may know every room. */

#include "explore/session.h"

/* ---- target.c: the program becomes the target of that session's search */
void native_open(struct session *session);

/* ---- start.c: before the program runs. Opens the parts and saves all that a restart brings back, with that errno. False with errno: it
 * cannot */
bool start_save(struct session *session, int error);

/* ---- explore.c */

/* What the session asks for, as its explorer wants it. */
void job_options(struct session *session, struct explorer_options *options);

int native_explore(void);
int native_resume_search(void);

/* ---- replay.c */
int native_replay(void);

/* ---- minimise.c: the schedule of the session becomes a shorter one */
int native_minimise(void);

#endif
