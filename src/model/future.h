#ifndef RADDLE_MODEL_FUTURE_H
#define RADDLE_MODEL_FUTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fingerprint.h"

/* What plain accesses may follow a state, for a search that does not explore a state again: the accesses that follow it may race with others that came
 * before it, on this way to it but not on the first one. Whoever looks for data races keeps that, and the search only carries it along, as
 * numbers: equal sets have equal numbers, for the whole search. */

typedef uint32_t future_id; /* a set of accesses to come, each with what orders it */
#define FUTURE_NONE    0u   /* the empty one */
#define FUTURE_UNKNOWN UINT32_MAX

typedef uint32_t passage_id; /* one transition: what it accessed, and who learned from whom in it */
#define PASSAGE_NONE 0u      /* it did nothing of the kind */

struct future_ops {
    /* A new transition has just been taken: what it was. Asked once, after each. */
    passage_id (*passed)(void);
    /* What may follow the state before a transition, if `after` may follow it. */
    future_id (*before)(passage_id transition, future_id after);
    /* What is in one of the two. */
    future_id (*either)(future_id a, future_id b);
    /* Whether, from the present state, all that is in the set is ordered behind all conflicting accesses that were made so far. */
    bool (*ordered)(future_id set);
    /* What is in the set when two threads, by their keys, change places. FUTURE_UNKNOWN: it cannot be said, as memory that is one thread's own is in it. */
    future_id (*swapped)(future_id set, uint32_t a, uint32_t b);
    /* From the present state on transitions are new, and their passages will be asked for. Not so after a restart. */
    void (*begin)(void);
    /* Memory that all these sets take. */
    uint64_t (*bytes)(void);
    /* Adds who knows of whose accesses now, if those transitions led here. False: there is too much of it. */
    bool (*knowledge)(const passage_id *path, uint32_t count, struct fingerprint *into);
};

#endif
