#ifndef RADDLE_EXPLORE_TRACE_HASH_H
#define RADDLE_EXPLORE_TRACE_HASH_H

#include "explore/execution.h"

/* A number for the Mazurkiewicz trace of a run, made while it goes on, without clocks: interleavings that order all
 * operations that conflict in the same way have the same number. It means something only among runs of one search. */

/* How one byte of a location was touched last, by those that do not conflict with each other. */
struct trace_byte {
    uint64_t members; /* the sum of their names */
    uint64_t before;  /* the members of those that they conflict with, or 0 */
};

struct trace_place {
    uint32_t run;    /* the rest is of another one, and stands for nothing */
    uint8_t mode[8]; /* ACCESS_NONE: not touched */
    struct trace_byte bytes[8];
};

struct trace_hash {
    struct arena *arena;
    uint32_t run;
    uint64_t sum;
    VEC(struct trace_place) places; /* by loc_id */
};

void trace_hash_open(struct trace_hash *hash, struct arena *arena);

/* A run begins. */
void trace_hash_begin(struct trace_hash *hash);

/* The next event touches that. */
void trace_hash_add(struct trace_hash *hash, const struct event *event,
                    const struct access *accesses, uint32_t count);

#endif
