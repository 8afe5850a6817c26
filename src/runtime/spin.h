#ifndef RADDLE_RUNTIME_SPIN_H
#define RADDLE_RUNTIME_SPIN_H

#include <stdbool.h>

#include "model/await.h"
#include "runtime/hooks.h"

/* Loops that only wait for another thread. A thread that comes back to a place with the very same registers and stack,
 * and has done nothing meanwhile but read, will do the same again until something that it read changes: so it
 * waits for that instead. */

#define SPIN_HASH_WORDS 2

struct spin {
    const struct raddle_site *site;  /* the place it may come back to; NULL: none */
    uint32_t returns;                /* how often it has come back there */
    uint64_t state[SPIN_HASH_WORDS]; /* fingerprint of its registers and stack there */
    uint64_t now[SPIN_HASH_WORDS];   /* the same for the place it is at */
    struct await reads;              /* what it has read since */
    struct await waits;              /* what it is waiting for */
};

/* The running thread has done something, other than reading memory, that may come out differently next time: looked at a clock, drawn a
 * random number, allocated. It does not just wait. */
void spin_forget(void);

/* Before a read at `site`: waits, if the thread has been here before in the same state. */
void spin_before(const struct raddle_site *site);

/* After an operation: what it read, or that it did more than reading. */
void spin_after(const struct op *op, cell_value result);

#endif
