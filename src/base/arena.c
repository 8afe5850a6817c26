#include "base/arena.h"

#include <string.h>
#include <sys/mman.h>

#include "base/check.h"

#define SMALLEST_CLASS 4 /* 16 bytes: the alignment, and room for a link */

static unsigned class_of(size_t size)
{
    if (size <= (size_t)1 << SMALLEST_CLASS)
        return SMALLEST_CLASS;
    return 64 - (unsigned)__builtin_clzll(size - 1);
}

void arena_place(struct arena *arena, void *base, size_t reserve)
{
    memset(arena, 0, sizeof *arena);
    arena->base = base;
    arena->reserve = reserve;
}

int arena_open(struct arena *arena, size_t reserve)
{
    void *base = mmap(NULL, reserve, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == MAP_FAILED)
        return -1;
    arena_place(arena, base, reserve);
    return 0;
}

void arena_close(struct arena *arena)
{
    if (arena->base)
        munmap(arena->base, arena->reserve);
    memset(arena, 0, sizeof *arena);
}

void *arena_alloc(struct arena *arena, size_t size)
{
    unsigned class = class_of(size);
    void *block = arena->free[class];

    if (block) {
        memcpy(&arena->free[class], block, sizeof(void *));
        return block;
    }
    size = (size_t)1 << class;
    CHECK(size <= arena->reserve - arena->used, "out of memory after %zu bytes", arena->used);
    block = arena->base + arena->used;
    arena->used += size;
    return block;
}

void arena_free(struct arena *arena, void *block, size_t size)
{
    unsigned class = class_of(size);

    if (!block)
        return;
    memcpy(block, &arena->free[class], sizeof(void *));
    arena->free[class] = block;
}

void arena_reset(struct arena *arena)
{
    arena->used = 0;
    memset(arena->free, 0, sizeof arena->free);
}
