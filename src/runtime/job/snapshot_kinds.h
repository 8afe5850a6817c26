#ifndef RADDLE_RUNTIME_JOB_SNAPSHOT_KINDS_H
#define RADDLE_RUNTIME_JOB_SNAPSHOT_KINDS_H

#include "explore/session.h"

/* The two kinds of snapshots, and what they have in common. */

/* Memory that is copied, and put back within the process. NULL: this kernel cannot tell what was written. */
const struct snapshot_ops *snapshot_in_place(void);

/* Forks of the process that wait. */
const struct snapshot_ops *snapshot_by_forks(void);

/* The state cannot be kept; the first reason is told. Returns false. */
bool snapshot_refused(const char *why);

/* Nanoseconds that this process has computed. */
uint64_t snapshot_time(void);

/* Faults of its memory so far. */
uint64_t snapshot_faults(void);

#endif
