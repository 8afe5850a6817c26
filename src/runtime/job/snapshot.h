#ifndef RADDLE_RUNTIME_JOB_SNAPSHOT_H
#define RADDLE_RUNTIME_JOB_SNAPSHOT_H

#include "explore/session.h"

/* Snapshots (explore/snapshots.h) of a native program: forks of its process that wait. */

/* What the search has of them: NULL if it is to have none. */
struct snapshots *snapshot_open(struct session *session);

#endif
