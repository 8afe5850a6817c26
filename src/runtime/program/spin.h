#ifndef RADDLE_RUNTIME_PROGRAM_SPIN_H
#define RADDLE_RUNTIME_PROGRAM_SPIN_H

#include <stdbool.h>

#include "model/await.h"
#include "runtime/core/spin_image.h"
#include "runtime/program/native.h"
#include "runtime/program/probe.h"

/* Loops that only wait for another thread. A thread that comes back to a place with the very same registers and stack,
 * and has done nothing meanwhile but read, will do the same again until something that it read changes: so it
 * waits for that instead. If it has looked at a clock, it may be the same state at another time: spin_image.h. */

#define SPIN_WIPED      512
#define SPIN_HASH_WORDS 2
#define SPIN_READS      4u /* within which a thread is to come back, at first */

/* Of each thread. */
struct spin {
    uint64_t writes;                /* counts what the thread has done other than reading */
    const struct raddle_site *site; /* the place it may come back to; NULL: none */
    uint32_t longer;                /* how often that was doubled: it has not come back to others */
    uint32_t returns;               /* how often it has come back there */
    uint64_t state[SPIN_HASH_WORDS]; /* fingerprint of its registers and stack there */
    uint64_t now[SPIN_HASH_WORDS];   /* the same for the place it is at */
    struct spin_passed passed;       /* since it was at that place */
    bool far;                        /* the time that passes next may be as long as SPIN_FAR */
    uint32_t held;                   /* locks that it holds, each as often as it has taken it */
    uint64_t locks;                  /* which ones: the sum of their names */
    uint64_t lock_writes;            /* `writes` when it held none */
    struct probe probe;              /* of a loop that looks at a clock */

    /* timed waits on conditions that end in vain, at one place */
    struct {
        const struct raddle_site *site; /* NULL: none */
        uint64_t state[SPIN_HASH_WORDS];
        uint64_t writes;
        struct spin_passed passed;
        bool too_many;      /* reads */
        struct await reads; /* since */
    } wait;

    /* From wait.reads on nothing counts but the number of reads: a new thread gets no more than that. */
    struct await reads;         /* what it has read since it was at the place */
    struct await waits;         /* what it is waiting for */
    struct spin_images *images; /* or NULL, if it has never looked at a clock; kept over runs */
};

/* Of each thread that looks at clocks, as long as the process lives. */
struct spin_images {
    struct spin_image now, place, wait;
};

static inline struct spin *spin_of(const struct native_thread *thread)
{
    return thread->own[PART_SPIN];
}

/* The running thread looks at a clock. That has gone on by `seconds` since the thread has waited or slept, or by something else (0). */
void spin_looks(uint64_t seconds);

/* The running thread has done something, other than reading memory, that may come out differently next time: drawn a
 * random number, allocated. It does not just wait. */
void spin_forget(void);

/* The running thread has written to memory that others may see, or done something else that counts. */
void spin_wrote(void);

/* What it has written at once (hooks.h) counts as that from here on: before it gives way to another thread, and before anybody asks. */
void spin_settle(void);

/* Whether it has, since it took the first of the locks that it holds. */
bool spin_has_written(void);

/* The program tries to take a lock, or waits for one until a time: it can tell how often others take it. When that is news, and
 * somebody has taken a lock just to look, the search begins anew: what counts as writing is part of how an unlock looks. */
void spin_tries_to_lock(void);

/* Before a timed wait at `site` with that mutex held: what must change before timing out once more could make a difference; NULL if it
 * has not just timed out here in the same state. Valid until the next wait. */
const struct await *spin_before_wait(const struct raddle_site *site, const void *mutex);

/* Before a read at `site`: waits, if the thread has been here before in the same state. */
void spin_before(const struct raddle_site *site);

/* Clears what functions that have returned have left below: counters that never come back to the same number would make each state of a loop another one. */
static __attribute__((noinline, unused)) void spin_wipe(void)
{
    char room[SPIN_WIPED];

    __builtin_memset(room, 0, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
}

/* After an operation: what it read, or that it did more than reading. */
void spin_after(const struct op *op, cell_value result);

#endif
