#ifndef RADDLE_RUNTIME_JOB_ENDLESS_H
#define RADDLE_RUNTIME_JOB_ENDLESS_H

/* A run was given up at the step limit, and is still there: puts into session.endless who kept it from ending, and where. Only the first
 * time. */
void endless_note(void);

#endif
