#ifndef RADDLE_SCRIPT_LITMUS_MEMORY_H
#define RADDLE_SCRIPT_LITMUS_MEMORY_H

/* Memory of the litmus reader and report: plain malloc, as the tables of program.h ask for it. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/* realloc that cannot fail: a litmus test is small, so no memory means a broken machine. */
static inline void *litmus_realloc(void *block, size_t count, size_t size)
{
    void *moved = reallocarray(block, count ? count : 1, size);

    CHECK(moved, "out of memory");
    return moved;
}

/* The array `block` of `count` elements with room for one more. Doubles: filling is linear. */
static inline void *litmus_grow(void *block, uint32_t count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return block;
    return litmus_realloc(block, count ? (size_t)count * 2 : 1, size);
}

static inline char *litmus_copy(const char *text, size_t length)
{
    char *copy = litmus_realloc(NULL, length + 1, 1);

    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

#endif
