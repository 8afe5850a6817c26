#ifndef RADDLE_BASE_ARENA_H
#define RADDLE_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define ARENA_CLASSES 48

/* Memory of one lifetime: one reserved range of addresses, handed out from its start. Blocks have
 * sizes that are powers of two, and a freed block serves the next request of its size; so a growing
 * vector wastes at most as much as it holds. */
struct arena {
    char *base;     /* start of the range */
    size_t used;    /* bytes handed out so far */
    size_t reserve; /* bytes of address space; memory is taken only when touched */
    void *
        free[ARENA_CLASSES]; /* by log2 of the size: blocks given back, linked through themselves */
};

/* Reserves `reserve` bytes of address space. Returns 0, or -1 with errno set. */
int arena_open(struct arena *arena, size_t reserve);

/* Works in `reserve` bytes at `base` that the caller has, all of them 0 so far. */
void arena_place(struct arena *arena, void *base, size_t reserve);

/* Takes back all blocks at once. */
void arena_reset(struct arena *arena);

/* Gives all of it back to the system. */
void arena_close(struct arena *arena);

/* `size` bytes, not cleared, aligned to 16. Never NULL: running out of the reserved range is fatal. */
void *arena_alloc(struct arena *arena, size_t size);

/* Gives back a block that came from arena_alloc with the same size. NULL is fine. */
void arena_free(struct arena *arena, void *block, size_t size);

#endif
