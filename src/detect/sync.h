#ifndef RADDLE_DETECT_SYNC_H
#define RADDLE_DETECT_SYNC_H

#include "base/map.h"
#include "base/vec.h"
#include "detect/clock.h"
#include "model/watch.h"

/* Who knows of whom: the clocks of threads, and what objects and atomic variables hand on. Threads are named by the key that
 * the target gave them (world_thread). */

struct sync_thread {
    struct clock now;     /* its own entry is its time */
    struct clock fenced;  /* what it knew at its last release fence: relaxed stores hand that on */
    struct clock pending; /* what relaxed loads brought: an acquire fence makes it known */
    uint32_t missed;      /* the run in which it added to a cell and did not learn what was there */
    struct clock woken;   /* what the one who woke it knew */
    VEC(struct clock)
    buffered; /* what waiting stores hand on once they are in memory, by their numbers */
};

/* An object that threads meet at. */
struct sync_object {
    struct clock released; /* by unlocks, posts, … */
    struct clock shared;   /* by unlocks of readers */
};

/* Bytes of atomic variables, and what a load that reads them may acquire. */
struct sync_store {
    uint32_t bytes;
    struct clock released;
};

/* The eight bytes of one granule. */
struct sync_cell {
    uint32_t generation;
    uint32_t count;
    struct sync_store stores[8];
};

struct sync {
    VEC(struct sync_thread) threads;
    struct map object_numbers;
    VEC(struct sync_object) objects;
    struct map cell_numbers;
    VEC(struct sync_cell *) cells;
};

extern const struct watch_ops sync_watch;

void sync_open(void);
void sync_restart(void);

/* What a thread knows. */
const struct clock *sync_clock(uint32_t thread);

/* Makes `into` know what the stores to those bytes have released. */
void sync_stores_gather(const struct sync_cell *cell, uint32_t bytes, struct clock *into);

/* Makes `into` know all that the holder knows now, too. Changes nothing else. In sync_gather.c. */
void sync_gather(holder h, struct clock *into);

/* What a thread does from here on is told apart from what it has done. */
void sync_tick(uint32_t thread);

#endif
