#include "runtime/core/guard.h"

#include <string.h>

#include "base/check.h"
#include "runtime/core/kernel.h"

/* From here on it is cheaper to give pages back than to clear them. */
#define CLEARED_BY_HAND ((size_t)1 << 20)

#define PAGE ((uintptr_t)4096)

static bool reserved; /* outlives a run: so do the addresses */

/* That was looked up last: saves a search. Outlives a run: only until guard_forget, which comes with the heap's restart. */
static const struct heap_block *large_block;

void guard_reserve(void)
{
    if (reserved)
        return;
    CHECK(kernel_map(GUARD_BASE, HEAP_SPAN >> 3),
          "no addresses for the guards of the heap; is their number limited (ulimit -v)?");
    reserved = true;
}

static uint8_t *guard_of(const void *p)
{
    return GUARD_BASE + (((uintptr_t)p - HEAP_BASE) >> 3);
}

void guard_block_begins(const void *start, size_t size)
{
    uint8_t *guard = guard_of(start);

    memset(guard, 8, size / 8);
    if (size % 8)
        guard[size / 8] = size % 8;
}

void guard_block_ends(const void *start, size_t size)
{
    memset(guard_of(start), 0, (size + 7) / 8);
}

void guard_forget(uintptr_t base, size_t size)
{
    uint8_t *guard = guard_of((const void *)base);
    size_t bytes = (size + 7) / 8;

    large_block = NULL;
    if (bytes > CLEARED_BY_HAND) /* spaces begin and end with pages of the table */
        kernel_discard(guard, (bytes + PAGE - 1) & ~(PAGE - 1));
    else
        memset(guard, 0, bytes);
}

static bool block_allows(const struct heap_block *block, const void *p, size_t n)
{
    size_t offset = (size_t)((const char *)p - block->start); /* huge if it is before the start */

    return block->state == HEAP_LIVE && offset <= block->size && n <= block->size - offset;
}

bool guard_allows_slowly(const void *p, size_t n)
{
    const struct heap_block *block = large_block;

    if (n == 0 || (block && block_allows(block, p, n)))
        return true;
    block = heap_find(p);
    if (!block || !block_allows(block, p, n))
        return false;
    large_block = block;
    return true;
}
