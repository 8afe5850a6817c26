#ifndef RADDLE_RUNTIME_CORE_HEAP_H
#define RADDLE_RUNTIME_CORE_HEAP_H

/* The heap of the program under test.
 *
 * A block is named by its thread and its rank among that thread's allocations, and its address
 * follows from what that thread allocated and freed before, and from what it comes after of what others
 * freed of that; from nothing else that they do. A block reads
 * as zeros when it is new, so calloc is malloc. What we know about blocks lies in tables of our
 * own, out of the way of overflows. Needs no opening: the first call may come from a constructor,
 * or from the dynamic linker.
 *
 * What was freed is handed out again as late as can be. A thread that has been given HEAP_SMALL_BOUND bytes for small blocks, or
 * HEAP_LARGE_BOUND for large ones, gets the place of the right size that it freed first; and a new one as long as fewer than HEAP_LEAST of that size
 * wait. Of its places, only those that it has freed itself, or that another thread has freed as it knows for certain: when another thread frees one is no event that the
 * search sees, and may be before or behind the next allocation in runs that it takes for the same one, unless something orders the two. And only those behind the first quarter, so that a program that never comes that
 * far has nothing to compare: see fingerprint. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/core/fiber.h"

#define HEAP_SMALL_BOUND ((size_t)12 << 20)
#define HEAP_LARGE_BOUND ((size_t)64 << 20)
#define HEAP_LEAST       16

/* Who allocates: a program thread, numbered below RUNTIME_THREADS, or one of these. */
#define HEAP_INITIAL RUNTIME_THREADS /* before heap_snapshot: constructors and libc's own start */
#define HEAP_OUTSIDE                                                                               \
    (RUNTIME_THREADS + 1) /* the engine and libc on its behalf; blocks are reused, not restarted */

#define HEAP_RED_ZONE  16                 /* bytes on either side of a block that are no block's */
#define HEAP_BLOCK_MAX ((size_t)16 << 30) /* more than this is out of memory */

/* Addresses: each thread owns HEAP_ARENA_SPACE bytes from HEAP_BASE on, of which the first HEAP_SMALL_SPACE are for small blocks. */
#define HEAP_BASE        0x120000000000u
#define HEAP_SHIFT       35
#define HEAP_ARENA_SPACE ((uintptr_t)1 << HEAP_SHIFT)
#define HEAP_SMALL_SPACE ((uintptr_t)8 << 30)
#define HEAP_ARENAS      (RUNTIME_THREADS + 1) /* of threads and HEAP_INITIAL */
#define HEAP_SPAN        ((uintptr_t)HEAP_ARENAS << HEAP_SHIFT)

enum heap_block_state { HEAP_LIVE, HEAP_FREED };

#define HEAP_ROOM_UNIT ((size_t)16)

struct heap_block {
    char *start;
    size_t size;            /* as asked for */
    const void *alloc_site; /* as given to heap_alloc */
    const void *free_site;  /* when freed */
    uint32_t rank;          /* 0-based among its thread's allocations in this execution */
    uint32_t born;          /* when it was allocated: what the clock of heap_clock told */
    uint32_t room;          /* bytes from its start to the red zone, in HEAP_ROOM_UNIT */
    uint32_t next;          /* 1 + the next one that waits to be handed out again, or 0 */
    uint32_t after;         /* while it waits: as given to heap_retire or heap_return */
    uint32_t reached;       /* for leaks.c: number of the last search that found a pointer to it */
    uint16_t thread;
    uint16_t free_thread;
    uint8_t state;   /* enum heap_block_state */
    bool aligned;    /* its place was made for an alignment of more than 16 */
    bool again;      /* another block was there before, in this execution */
    bool has_object; /* that the search knows by its address: heap_note_object */
};

enum heap_status {
    HEAP_OK,
    HEAP_DOUBLE_FREE, /* the start of a block that was freed */
    HEAP_INTERIOR,    /* inside a block, or in its red zone, but not its start */
    HEAP_NO_BLOCK,    /* no address of the heap, or none that was handed out in this execution */
    HEAP_NO_MEMORY,   /* heap_realloc only */
};

/* A block of `size` zero bytes (0 is fine) at a multiple of `align`, a power of two; at least 16 is
 * given. NULL with errno ENOMEM if the size is absurd (HEAP_BLOCK_MAX) or the thread has used up its addresses. */
void *heap_alloc(uint32_t thread, size_t size, size_t align, const void *site);

/* What blocks remember of when they were allocated is told by that; 0 before the first call. */
void heap_clock(uint32_t (*now)(void));

/* Frees a block; `thread` is who frees it. Anything but HEAP_OK has changed nothing. */
enum heap_status heap_free(uint32_t thread, void *ptr, const void *site);

/* Memory is handed out again only after the first call: what was retired at most at the time that `ready` tells for the thread that allocates; -1: nothing
 * now. That must follow from what the thread did. `knows`: whether that thread comes after what another one did at some time. */
void heap_reuse(int64_t (*ready)(void), bool (*knows)(uint32_t thread, uint32_t when));

/* The place of the block at `ptr`, just freed, may be handed out again, as far as it can be, once it is `after`: a time of its thread, which never goes
 * back. Whoever gets a block that is `again` has to say so to all that remember what was there. */
void heap_retire(const void *ptr, uint32_t after);

/* The same if another thread than its own has freed it: once its own comes after what that one did at the time `when`, which never goes back. */
void heap_return(const void *ptr, uint32_t when);

/* A lock, condition, … is at that address, which need not be in the heap. The search knows it by that, so its place is not handed out again. */
static inline void heap_note_object(const void *addr);
void heap_note_object_slow(const void *addr);

static inline void heap_note_object(const void *addr)
{
    uintptr_t offset = (uintptr_t)addr - HEAP_BASE; /* wraps when below */

    if (offset < HEAP_SPAN && (offset & (HEAP_ARENA_SPACE - 1)) >= HEAP_SMALL_BOUND / 4)
        heap_note_object_slow(addr);
}

/* A new block with the old one's contents, and the old one freed; always moves, so that a pointer
 * kept to the old one is noticed. *out is set for HEAP_OK only; otherwise nothing has changed.
 * `ptr` is not NULL. */
enum heap_status heap_realloc(uint32_t thread, void *ptr, size_t size, const void *site,
                              void **out);

/* The bytes usable at the start of a live block; 0 for anything else. */
size_t heap_usable(const void *ptr);

/* The block, live or freed, that `addr` is inside of, or in its room, or in a red zone of; NULL if none, and for
 * blocks of HEAP_OUTSIDE. Valid until the next heap_restart; of a freed one, until another block is there. Takes constant time. */
const struct heap_block *heap_find(const void *addr);

/* Calls `visit` for each live block, those of HEAP_INITIAL first, then by thread in the order in
 * which they first allocated, large ones last. `visit` must not allocate from the heap of program
 * threads. */
void heap_each_live(void (*visit)(void *context, const struct heap_block *block), void *context);

/* Whether two threads have made the same blocks in this execution, in size and kind, the same ones of which are freed; and `same` says so of the contents of all that
 * live. Addresses then correspond by their offsets from heap_of. */
bool heap_corresponds(uint32_t a, uint32_t b,
                      bool (*same)(void *context, const char *a, const char *b, size_t size),
                      void *context);

/* Whether a block that the thread has made in this execution is still live. */
bool heap_has_live(uint32_t thread);

/* Where the addresses of a thread's blocks begin; there are HEAP_ARENA_SPACE of them. */
static inline uintptr_t heap_of(uint32_t thread)
{
    return HEAP_BASE + ((uintptr_t)thread << HEAP_SHIFT);
}

/* Ends the time of HEAP_INITIAL: its blocks and contents are part of the start of each execution.
 * Hands the contents to the image, so call it before image_save. Returns 0, or -1 with errno set.
 * */
int heap_snapshot(void);

/* Forgets all blocks of program threads, and clears their memory, in time proportional to it (large
 * blocks by one system call a thread); takes back what was freed of HEAP_INITIAL. The contents of
 * the latter are image_restart's. */
void heap_restart(void);

#endif
