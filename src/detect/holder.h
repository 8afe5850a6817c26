#ifndef RADDLE_DETECT_HOLDER_H
#define RADDLE_DETECT_HOLDER_H

#include <stdint.h>

/* Whatever has a clock, by a name that is the same in all executions of a search, in whichever process: its kind, a number of 48 bits, and in
 * the low eight bits which of its bytes are meant. Only the cells of atomic variables have bytes, each with what its store has
 * released; of all others there is one. */
typedef uint64_t holder;

#define HOLDER_NONE 0u /* no name, and no bytes: it is never known to hold anything */

enum holder_kind {
    HOLDER_NOW = 1, /* of a thread, by its number: see struct sync_thread */
    HOLDER_FENCED,
    HOLDER_PENDING,
    HOLDER_WOKEN,
    HOLDER_RELEASED, /* of an object (future_object) */
    HOLDER_SHARED,
    HOLDER_CELL, /* by its address / 8 */
    HOLDER_BUFFERED, /* a store: its thread, and below in 32 bits its number among those of its thread */
    HOLDER_UNDER_WAY, /* what the operation under way hands on */
};

#define HOLDER(kind, number) ((uint64_t)(kind) << 56 | (uint64_t)(number) << 8 | 1)

static inline holder holder_cell(uint64_t addr, uint32_t bytes)
{
    return addr >> 51 ? HOLDER_NONE : (uint64_t)HOLDER_CELL << 56 | addr >> 3 << 8 | bytes;
}

static inline uint64_t holder_name(holder h)
{
    return h >> 8;
}

static inline uint32_t holder_bytes(holder h)
{
    return h & 0xff;
}

static inline enum holder_kind holder_kind(holder h)
{
    return (enum holder_kind)(h >> 56);
}

static inline uint64_t holder_number(holder h)
{
    return h << 8 >> 16;
}

#endif
