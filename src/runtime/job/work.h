#ifndef RADDLE_RUNTIME_JOB_WORK_H
#define RADDLE_RUNTIME_JOB_WORK_H

#include "explore/session.h"

/* Searches as one of several processes (session.work_fd): the explorer is open. `resumed`: another process of this worker died in a run. False if the program is not
 * deterministic. */
bool work_search(struct session *session, bool resumed);

#endif
