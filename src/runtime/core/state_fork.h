#ifndef RADDLE_RUNTIME_CORE_STATE_FORK_H
#define RADDLE_RUNTIME_CORE_STATE_FORK_H

/* What a fork of the process shares with it: open files with their offsets, and memory that is not private. The kernel is asked what there is, so that
 * nothing is missed that code opened which is not seen. */

#include <stdbool.h>
#include <stddef.h>

/* Descriptors that are open now are of the start. Shared memory from `ours` on is the runtime's own. */
void state_fork_begins(const void *ours, size_t size);

/* Whether all that is shared can be put back: files that are only read. Remembers where they are. If not, says why. */
bool state_fork_looks(const char **why);

/* Puts back what was remembered. False if that was not possible. */
bool state_fork_restores(void);

/* Bytes of private memory that the process has now. */
size_t state_fork_bytes(void);

#endif
