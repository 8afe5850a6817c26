#ifndef RADDLE_RUNTIME_CORE_GUARD_H
#define RADDLE_RUNTIME_CORE_GUARD_H

/* Which bytes of the heap belong to live blocks. For each eight bytes of the space of small blocks there is one byte of ours: how
 * many of the eight, from the first on, may be accessed. Large blocks, of which there are few, are looked up. All of
 * it is reserved at once, and costs memory only where there are blocks. */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/heap.h"

#define GUARD_BASE ((uint8_t *)0x490000000000)

/* Reserves the table, once; before the first block. */
void guard_reserve(void);

/* A small block begins, or ends; all that was handed out from `base` on is forgotten. */
void guard_block_begins(const void *start, size_t size);
void guard_block_ends(const void *start, size_t size);
void guard_forget(uintptr_t base, size_t size);

/* The same question without the fast way. */
bool guard_allows_slowly(const void *p, size_t n);

/* Whether all bytes are outside of the heap, or of one live block. */
static inline bool guard_allows(const void *p, size_t n)
{
    uintptr_t offset = (uintptr_t)p - HEAP_BASE;

    if (offset >= HEAP_SPAN)
        return true;
    if ((offset & (HEAP_ARENA_SPACE - 1)) < HEAP_SMALL_SPACE &&
        (offset & 7) + n <= GUARD_BASE[offset >> 3])
        return true;
    return guard_allows_slowly(p, n);
}

#endif
