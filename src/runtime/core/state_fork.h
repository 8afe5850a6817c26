#ifndef RADDLE_RUNTIME_CORE_STATE_FORK_H
#define RADDLE_RUNTIME_CORE_STATE_FORK_H

/* What a fork of the process shares with it: open files with their offsets, and memory that is not private. The kernel is asked what there is, so that
 * nothing is missed that code opened which is not seen. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATE_FILES_MAX     64
#define STATE_FILES_NUMBERS 1024

/* An open file, and where it is: -1 if it cannot seek. */
struct state_file {
    int fd, flags, own_flags; /* F_GETFL, F_GETFD */
    int64_t offset;
    int capacity; /* of a pipe that is modelled, else 0 */
};

/* What is open. */
struct state_files {
    uint64_t open[STATE_FILES_NUMBERS / 64]; /* a bit for each number, those of the runtime, too */
    struct state_file at[STATE_FILES_MAX];   /* the others */
    uint32_t count;
    bool beyond; /* there are larger numbers, too */
};

/* Whether a descriptor stands for a pipe that is modelled: nothing goes through that of the kernel. Set by who knows. */
extern bool (*state_fork_models)(int fd);

/* Descriptors that are open now are of the start. Shared memory from `ours` on is the runtime's own. */
void state_fork_begins(const void *ours, size_t size);

/* Whether all that is shared can be put back: files that are only read, pipes that are modelled. Remembers where they are. If not, says why. */
bool state_fork_looks(const char **why);

/* What that look has seen. */
const struct state_files *state_fork_seen(void);

/* Puts back what was remembered. False if that was not possible. */
bool state_fork_restores(void);

/* Bytes of private memory that the process has now. */
size_t state_fork_bytes(void);

#endif
