#ifndef RADDLE_RUNTIME_CORE_PLACE_MAPS_H
#define RADDLE_RUNTIME_CORE_PLACE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/* Memory that the process can write to, and that others do not see. */
struct place_mapping {
    uintptr_t low, high;
    bool of_file; /* what was never written is what the file holds */
};

/* Calls `visit` for each, until one says false. False then, or if the kernel does not tell. */
bool place_mappings(bool (*visit)(const struct place_mapping *mapping));

/* Addresses that do not overlap, in order. */
#define PLACE_RANGES_MAX 16384
struct place_ranges {
    struct place_mapping at[PLACE_RANGES_MAX];
    uint32_t count;
};

/* It lies behind all that are there. False: there are too many. */
bool place_ranges_add(struct place_ranges *ranges, uintptr_t low, uintptr_t high);

bool place_ranges_have(const struct place_ranges *ranges, uintptr_t at);

/* Calls `visit` for what they have of [low, high). */
void place_ranges_within(const struct place_ranges *ranges, uintptr_t low, uintptr_t high,
                         void (*visit)(uintptr_t low, uintptr_t high));

#endif
