#ifndef RADDLE_RUNTIME_CORE_HEAP_OUTSIDE_H
#define RADDLE_RUNTIME_CORE_HEAP_OUTSIDE_H

/* Memory for HEAP_OUTSIDE: what libc allocates while no program thread runs. Blocks are powers of
 * two, and one that is freed serves the next request of its size. A restart leaves it alone. Part
 * of heap.h; only heap.c calls it. */

#include <stdbool.h>
#include <stddef.h>

/* At least `size` zero bytes at a multiple of `align`, a power of two; NULL with errno ENOMEM. */
void *outside_alloc(size_t size, size_t align);

/* Whether `ptr` is an address of this memory. */
bool outside_owns(const void *ptr);

/* False if no block starts there. Freeing twice is not noticed. */
bool outside_free(void *ptr);

/* Usable bytes of the block that starts at `ptr`, or 0. */
size_t outside_size(const void *ptr);

#endif
