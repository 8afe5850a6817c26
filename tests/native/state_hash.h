#ifndef RADDLE_TESTS_NATIVE_STATE_HASH_H
#define RADDLE_TESTS_NATIVE_STATE_HASH_H

/* How both sides turn the end of an execution into a number: the harness for scripts, the generated programs for
 * themselves. */

#include <stdint.h>

#define STATE_HASH_START  0x51a7e5ULL
#define STATE_NOT_CREATED 0xab5e27ULL /* instead of the registers of a thread that nobody created */

static inline uint64_t state_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    return hash ^ hash >> 29;
}

/* An address of a cell counts as its offset: scripts and programs have their cells in different places. */
static inline uint64_t state_value(int64_t value, uint64_t memory, uint64_t size)
{
    uint64_t offset = (uint64_t)value - memory;

    return offset < size ? 0xadd0000000000000ULL + offset : (uint64_t)value;
}

#endif
