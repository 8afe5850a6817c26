#ifndef RADDLE_RUNTIME_PROGRAM_ROUNDS_H
#define RADDLE_RUNTIME_PROGRAM_ROUNDS_H

#include <stdbool.h>

#include "base/fingerprint.h"
#include "model/await.h"
#include "runtime/program/native.h"

/* Rounds that change nothing. A thread that comes back to the head of a loop (__raddle_head), has done nothing but read since it was there, and has the same
 * live values, is where it was: the run in which it did not go round has the same outcome. Or all its live values are the same but one that comes
 * straight from a read, on every way to the head (raddle_live.fresh), and both times from a read of the same address: then the run in which the first of
 * the two reads is done when the second one is, and nothing between, has the same outcome. Those runs are explored anyway; so the thread goes no further in
 * this one (AWAIT_ROUND_AGAIN, AWAIT_ROUND_FRESH). docs/reductions.md says why nothing is lost.
 *
 * What counts is only what the thread itself has done, so that each thread still does the same whenever it reads the same. */

#define ROUNDS_DEPTH 8u /* loops inside of each other that are looked at, the innermost ones */

/* A read that values at heads may come straight from: the last one of the thread. */
struct rounds_source {
    bool valid; /* nothing was changed since */
    bool last;  /* it is free (SITE_FREE), and the thread has done nothing since but giving way */
    bool acquires; /* it orders what comes behind it */
    uint64_t addr, value;
    uint8_t size;
    uint64_t number; /* among the reads of the thread, from 1 on */
};

/* A head, and how it was there. */
struct rounds_place {
    const struct raddle_frame *frame;
    const struct raddle_site *site;
    struct fingerprint state, fresh; /* live values that are not fresh, and those that are */
    struct rounds_source source;     /* of the latter */
    uint64_t changes, reads, plains;
};

/* Of each thread. */
struct rounds {
    uint32_t depth;
    uint64_t changes; /* what it has done other than reading */
    uint64_t reads;   /* operations that only read */
    uint64_t plains;  /* plain reads that were news to the detector */
    struct rounds_source source;
    struct rounds_place at[ROUNDS_DEPTH]; /* the innermost loop last */
    struct rounds_place
        now; /* not on the stack: spin.c would take what is left of it for a part of the state */
    const struct raddle_site
        *retry;       /* a compare-exchange that is to wait, the next thing that is done; or NULL */
    struct await log; /* the latest reads, each at its number; `count` does not count */
    struct await waits; /* what the thread has read in the round that it stopped after */
};

static inline struct rounds *rounds_of(const struct native_thread *thread)
{
    return thread->own[PART_ROUNDS];
}

/* The running thread has written something, or done anything else than reading that a round must not do. */
void rounds_change(void);

/* It has written to memory of its own (its stack, thread-local variables) through a pointer: that is a change, too. */
static inline void rounds_scribble(void)
{
    if (native.current)
        rounds_change();
}

/* It has read: an operation, whose result is `value`. */
void rounds_read(uint8_t object, uint64_t addr, uint8_t size, uint64_t value);

/* After that, of memory: values at heads may come from it. And after an operation that does nothing but order others. */
void rounds_source(const struct op *op, uint64_t value);
void rounds_between(void);

/* An operation by which threads learn of each other without being ordered. */
void rounds_informal(void);

/* The running thread has read or written plain memory, in a way that is news to the detector. */
void rounds_plain_read(void);
void rounds_plain_write(uint64_t addr, size_t size);

/* It is at the head of a loop. */
void rounds_head(bool again, const struct raddle_site *site);

/* It is about to do this read, straight before it comes back to that head with nothing new but what it reads: a load, which it then need not do; or the
 * compare-exchange at `exchange`, if that fails, so that it may as well wait until it does not. */
struct rounds_read {
    uint64_t addr;
    uint8_t size, order;
};
void rounds_turn(const struct rounds_read *read, const struct raddle_site *exchange,
                 const struct raddle_site *head);

/* Before a compare-exchange at `site`: what else was read in this round, if it is to wait; else NULL. */
const struct await *rounds_retry(const struct raddle_site *site);

#endif
