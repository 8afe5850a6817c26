#ifndef RADDLE_DETECT_LOCK_ORDER_H
#define RADDLE_DETECT_LOCK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/watch.h"

/* Locks that threads of one execution take in orders that contradict each other: in another execution they might all wait for each other, if
 * something else does not keep them apart. The scheme is Havelund's Goodlock: an edge for each lock that a thread asks for while it holds
 * others; a cycle of edges of different threads is told. It is not told if two of them hold a lock in common (a gate), or if one of two ends before the
 * other begins, by the creation and the joining of threads. Other synchronisation does not count: it may be there in this execution by chance. */

/* Threads in a cycle that is looked for. */
#define LOCK_ORDER_MAX 6

struct lock_order_lock {
    uint64_t addr;
    uint8_t object; /* enum object_kind */
    bool reads;     /* of a reader-writer lock: several may hold it so */
    uint64_t site;  /* where it was asked for, as in struct op */
};

/* A thread asks for `wanted`, which the next one of the cycle holds, and holds `held`. */
struct lock_order_step {
    uint32_t thread;
    struct lock_order_lock wanted, held;
};

/* The thread with the lowest number comes first. Called in the middle of an operation. May be called again for the same cycle, in this and other executions. */
typedef void lock_order_found(const struct lock_order_step *steps, uint32_t count);

/* What is to be kept of the site of a thread that is about to take a lock. */
typedef uint64_t lock_order_place(uint32_t thread, uint64_t site);

/* Before anything else, once. */
void lock_order_open(struct arena *arena, lock_order_found *found, lock_order_place *place);

/* A new execution. Returns who is to watch it: this, and then `next`, which may be NULL. */
const struct watch_ops *lock_order_watch(const struct watch_ops *next);

#endif
