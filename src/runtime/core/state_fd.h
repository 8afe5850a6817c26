#ifndef RADDLE_RUNTIME_CORE_STATE_FD_H
#define RADDLE_RUNTIME_CORE_STATE_FD_H

/* The descriptors' part of state.h; only state.c calls these. */

#include <stdbool.h>

/* From now on descriptors are followed; those open now are of the start. Returns 0, or -1 with
 * errno set. */
int state_fd_save(void);

/* Moves `fd` out of the program's way and reserves it. Returns the new number, or -1 with errno
 * set. */
int state_fd_take(int fd);

/* Whether this execution has opened, closed or changed any. */
bool state_fd_is_changed(void);

/* Whether all descriptors are as at the start again. */
bool state_fd_restart(void);

#endif
