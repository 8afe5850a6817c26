#ifndef RADDLE_EXPLORE_CONTENDED_H
#define RADDLE_EXPLORE_CONTENDED_H

#include "base/map.h"
#include "base/vec.h"
#include "model/op.h"

/* What a search is large for: the places in the program where it has gone back to try something else first, and how often. */

#define CONTENDED_NAME 120

struct contended_place {
    uint64_t reversals;
    char name[CONTENDED_NAME]; /* "lock m at q.c:12" */
};

struct contended {
    struct arena *arena;
    struct map by_place;
    VEC(struct contended_place) places;
    uint64_t reversals; /* of all */
};

void contended_open(struct contended *contended, struct arena *arena);

/* Something else is tried before `op`. Who calls gives a new place its name: NULL if it is known. */
struct contended_place *contended_note(struct contended *contended, const struct op *op);

/* The `count` places with most reversals, those first, into `top`. How many there are. */
uint32_t contended_top(const struct contended *contended, const struct contended_place **top,
                       uint32_t count);

#endif
