#ifndef RADDLE_RUNTIME_HOOKS_WRITTEN_H
#define RADDLE_RUNTIME_HOOKS_WRITTEN_H

/* What a thread writes to memory by other means than operations, for a search that compares states (model/sum.h). Whoever writes, on behalf of the running
 * thread, to memory that the program can see announces it here before. What was there is kept until the thread gives way; then each word that is
 * another one now goes into the sum.
 *
 * Plain stores come here once in each transition: the clock of the detector ticks with it, so what it knew before it does not know any more.
 * Stacks and thread-local memory are left out. They belong to the local state of their thread. */

#include <stdbool.h>
#include <stddef.h>

#include "runtime/program/native.h"

extern struct written {
    bool on;   /* the running thread's writes are to be kept */
    bool lost; /* they were too many once: no state of this search is known any more */
} written;

/* The running thread goes on, or begins. */
void written_begin(void);

/* Memory is about to be taken away: all that was kept is forgotten, and nothing is kept until the next transition. */
void written_drop(void);

/* It has given way, and its waiting stores are out of memory again (buffer_hide). */
void written_settle(void);

/* These bytes are about to be written. */
void written_note_slow(const void *at, size_t size);

static inline void written_note(const void *at, size_t size)
{
    if (__builtin_expect(written.on, 0))
        written_note_slow(at, size);
}

/* At most so many bytes are, until written_rooms_end: by a call that the running thread makes, which may give way meanwhile. The range may end behind
 * the memory that there is. Slow. */
void written_room(const void *at, size_t size);
void written_rooms_end(void);

/* A block of the heap has just been made, with that many bytes in it already; or is about to be freed: what was in it does not count
 * any more. */
void written_block_begins(const void *block, size_t size, size_t filled);
void written_block_filled(
    const void *block); /* by code that is not seen, since it was made in this transition */
void written_block_ends(const void *block, size_t size);

#endif
