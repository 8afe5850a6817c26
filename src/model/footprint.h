#ifndef RADDLE_MODEL_FOOTPRINT_H
#define RADDLE_MODEL_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/op.h"

/* Something that two operations can meet at: eight aligned bytes of memory, or an object. Dense,
 * stable over the whole search. */
typedef uint32_t loc_id;
#define LOC_NONE UINT32_MAX

/* How an operation touches one location. */
struct access {
    loc_id loc;
    uint8_t bytes; /* memory: bit i is byte i of the eight; an object: 1 */
    uint8_t mode;  /* enum access_mode */
};

#define FOOTPRINT_MAX                                                                              \
    1032 /* a poll of 512 descriptors; AWAIT: sixteen cells, each in up to four buffered stores and two words */

/* All that an operation touches. Two operations of different agents whose footprints do not conflict
 * commute, and each leaves the other enabled or disabled as it was. */
struct footprint {
    uint32_t count;
    struct access at[FOOTPRINT_MAX];
};

/* Reads commute with reads, additions with additions of the same kind. */
static inline bool modes_conflict(uint8_t a, uint8_t b)
{
    return a != b || a == ACCESS_WRITE;
}

static inline bool access_conflicts(const struct access *a, const struct access *b)
{
    return a->loc == b->loc && (a->bytes & b->bytes) != 0 && modes_conflict(a->mode, b->mode);
}

static inline bool accesses_conflict(const struct access *a, uint32_t a_count,
                                     const struct access *b, uint32_t b_count)
{
    for (uint32_t i = 0; i < a_count; i++)
        for (uint32_t j = 0; j < b_count; j++)
            if (access_conflicts(&a[i], &b[j]))
                return true;
    return false;
}

#endif
