#ifndef RADDLE_BASE_INTERN_H
#define RADDLE_BASE_INTERN_H

#include "base/map.h"
#include "base/vec.h"

struct intern_entry {
    uint32_t at, count; /* in `words` */
    uint32_t next;      /* another sequence with the same hash, or 0 */
};

/* Numbers for sequences of words: equal sequences have equal numbers. The empty one is 0, the others count from 1. Nothing is ever
 * removed. */
struct intern {
    struct arena *arena;
    struct map by_hash; /* the first sequence with that hash */
    VEC(struct intern_entry) entries;
    VEC(uint64_t) words;
};

void intern_open(struct intern *intern, struct arena *arena);

/* The words must not be those of `intern` itself. */
uint32_t intern_number(struct intern *intern, const uint64_t *words, uint32_t count);

/* The sequence with that number; stays where it is until the next new one. */
const uint64_t *intern_words(const struct intern *intern, uint32_t number, uint32_t *count);

/* How much memory it takes. */
size_t intern_bytes(const struct intern *intern);

#endif
