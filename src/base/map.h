#ifndef RADDLE_BASE_MAP_H
#define RADDLE_BASE_MAP_H

#include <stdint.h>

#include "base/arena.h"

#define MAP_ABSENT UINT32_MAX

/* From 64-bit keys to 32-bit values, by open addressing. Nothing is ever removed. */
struct map {
    struct arena *arena;
    struct map_slot {
        uint64_t key;
        uint32_t value; /* MAP_ABSENT: the slot is empty */
    } *slots;
    uint32_t count;
    uint32_t mask; /* number of slots - 1 */
};

void map_open(struct map *map, struct arena *arena);

/* The value of `key`, or MAP_ABSENT. */
uint32_t map_get(const struct map *map, uint64_t key);

/* Adds `key`, which must be absent. */
void map_add(struct map *map, uint64_t key, uint32_t value);

/* How much memory its slots take. */
static inline size_t map_bytes(const struct map *map)
{
    return ((size_t)map->mask + 1) * sizeof *map->slots;
}

/* Scatters the bits of `x`: equal inputs only give equal outputs. */
static inline uint64_t mix64(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return x;
}

#endif
