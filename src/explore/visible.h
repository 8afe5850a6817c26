#ifndef RADDLE_EXPLORE_VISIBLE_H
#define RADDLE_EXPLORE_VISIBLE_H

#include "base/map.h"
#include "base/vec.h"
#include "explore/races.h"

/* Visible operations as a search has seen them, each once, and sets of them: what may follow a state (stateful-dpor, section 4.2: its
 * summary). Two executions of an operation are the same if the same agent touches the same things in the same way; what it stores does not
 * matter. Of one that may wait all of it counts, for whether it can run is asked again. */

typedef uint32_t visible_id;

struct visible {
    agent_id agent;
    uint32_t accesses; /* visibles.accesses.at[accesses …] */
    uint32_t access_count;
    bool held_back; /* it could not run where it was seen: the accesses are what it looked at */
    struct op op;
};

/* A set: equal sets have equal numbers. */
typedef uint32_t opset_id;
#define OPSET_EMPTY 0u

/* 64 members in a row, from 64 * `index` on. Sets leave out words without bits. */
struct opset_word {
    uint64_t bits;
    uint32_t index;
};

struct opset_range {
    uint32_t first, count;
};

#define OPSET_UNIONS 4096

struct visibles {
    struct arena *arena;
    VEC(struct visible) ops;
    VEC(struct access) accesses;
    struct map by_hash;

    VEC(struct opset_word) words;
    VEC(struct opset_range) sets;
    struct map set_by_hash;
    struct opset_union {
        opset_id a, b, both;
    } unions[OPSET_UNIONS]; /* asked for before */
    VEC(struct opset_word) scratch;
};

void visibles_open(struct visibles *v, struct arena *arena);

/* The number of what the suspect does, or would do. */
visible_id visible_of(struct visibles *v, const struct suspect *suspect,
                      const struct access *accesses, uint32_t count);

opset_id opset_of(struct visibles *v, visible_id member);
opset_id opset_union(struct visibles *v, opset_id a, opset_id b);

/* Calls `each` for each member. It must make no sets. */
void opset_each(const struct visibles *v, opset_id set,
                void (*each)(void *context, const struct visible *op), void *context);

/* Memory that all of it takes. */
uint64_t visibles_bytes(const struct visibles *v);

#endif
