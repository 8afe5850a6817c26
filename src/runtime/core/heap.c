#include "runtime/core/heap.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "base/fingerprint.h"
#include "runtime/core/guard.h"
#include "runtime/core/heap_outside.h"
#include "runtime/core/heap_quarantine.h"
#include "runtime/core/image.h"
#include "runtime/core/kernel.h"
#include "runtime/core/part.h"

/* Thread n owns 32 GiB from HEAP_BASE + n * 32 GiB: 8 GiB for small blocks, then 24 GiB
 * for large ones; the tables about both are 1 GiB each (16 million blocks) from TABLE_BASE on, the
 * indices 128 MiB each from INDEX_BASE on, the queues 16 KiB each from QUEUES_BASE on. Clear of stacks, of the program, of libraries and of the
 * address sanitizer's memory. Mapped piece by piece, as used. */
#define LARGE_SPACE  (HEAP_ARENA_SPACE - HEAP_SMALL_SPACE)
#define TABLE_BASE   0x430000000000u
#define TABLE_SPACE  ((uintptr_t)1 << 30)
#define INDEX_BASE   0x470000000000u
#define INDEX_SPACE  ((uintptr_t)128 << 20)
#define QUEUES_BASE  0x478000000000u
#define QUEUES_SPACE ((uintptr_t)16 << 10)

_Static_assert(sizeof(struct quarantine) <= QUEUES_SPACE, "queues do not overlap");

/* Clearing 256 KiB by hand costs about as much as one madvise and a few page faults: from here on a
 * block is `large`, and what nobody touches of it costs nothing. */
#define LARGE_BLOCK ((size_t)256 << 10)

/* Small blocks are cleared by hand up to here; beyond, the memory goes back to the system. */
#define CLEARED_BY_HAND ((size_t)8 << 20)

#define PAGE ((uintptr_t)4096)

/* Addresses handed out from the start on. Grows its mapping ahead of `used`. */
struct range {
    uintptr_t base;
    size_t used;
    size_t mapped;
};

/* Blocks of one kind in the order of their addresses, which is that of their allocation. */
struct space {
    struct range memory;
    struct range table; /* of struct heap_block */
    struct range
        index; /* of uint32_t: for each cell of memory, the first block that ends after its start */
    struct range queues; /* of one struct quarantine; not used: nobody waits */
    uint32_t count;
};

enum { SMALL, LARGE, SPACES };

/* Bytes of a cell, as a power of two. A cell touches no more than 9 small blocks, 3 large ones. */
static const unsigned cell_shift[SPACES] = {8, 18};
static const uintptr_t space_size[SPACES] = {HEAP_SMALL_SPACE, LARGE_SPACE};
static const size_t space_bound[SPACES] = {HEAP_SMALL_BOUND, HEAP_LARGE_BOUND};

struct heap_arena {
    struct space spaces[SPACES];
    uint32_t rank; /* of the next block */
    struct fingerprint
        retired; /* which blocks came to wait, and which of them went, in that order */
};

static uint32_t never(void)
{
    return 0;
}

/* outlives a run: who tells the time that blocks remember */
static uint32_t (*now)(void) = never;

/* outlives a run: what the thread that runs may get again; NULL: nothing */
static int64_t (*reuse_ready)(void);
static bool (*reuse_knows)(uint32_t thread, uint32_t when); /* outlives a run */

static struct {
    struct heap_arena arenas[HEAP_ARENAS];
    uint32_t used[HEAP_ARENAS]; /* that have blocks in this execution, in the order of the first */
    uint32_t used_count;
    struct fingerprint objects; /* which live blocks have one that keeps them from being `again` */
    bool snapshot_taken;
    struct range undo; /* struct heap_block *: blocks of HEAP_INITIAL that this execution freed */
} heap;

void heap_clock(uint32_t (*clock)(void))
{
    now = clock;
}

/* Makes [base, base + used) usable memory. Returns 0, or -1 with errno. */
static int range_cover(struct range *range, size_t used, size_t limit)
{
    size_t more;

    if (used <= range->mapped) {
        range->used = used;
        return 0;
    }
    if (used > limit) {
        errno = ENOMEM;
        return -1;
    }
    /* Doubles, so that system calls stay rare; what is mapped too much costs nothing until it is
     * touched. */
    more = range->mapped < ((size_t)64 << 20) ? range->mapped : (size_t)64 << 20;
    if (more < used - range->mapped)
        more = used - range->mapped;
    more = (more + 0xffff) & ~(size_t)0xffff;
    if (more > limit - range->mapped)
        more = limit - range->mapped;
    if (!kernel_map((void *)(range->base + range->mapped), more)) {
        errno = ENOMEM;
        return -1;
    }
    range->mapped += more;
    range->used = used;
    return 0;
}

static struct heap_block *blocks_of(const struct space *space)
{
    return (struct heap_block *)space->table.base;
}

static struct quarantine *queues_of(const struct space *space)
{
    return (struct quarantine *)space->queues.base;
}

static char *block_end(const struct heap_block *block)
{
    return block->start + block->room * HEAP_ROOM_UNIT + HEAP_RED_ZONE;
}

static void arena_begin(uint32_t number)
{
    struct heap_arena *arena = &heap.arenas[number];
    uintptr_t base = HEAP_BASE + ((uintptr_t)number << HEAP_SHIFT);

    guard_reserve();
    for (int i = 0; i < SPACES; i++) {
        arena->spaces[i].table.base = TABLE_BASE + (number * SPACES + i) * TABLE_SPACE;
        arena->spaces[i].index.base = INDEX_BASE + (number * SPACES + i) * INDEX_SPACE;
        arena->spaces[i].queues.base = QUEUES_BASE + (number * SPACES + i) * QUEUES_SPACE;
    }
    arena->spaces[SMALL].memory.base = base;
    arena->spaces[LARGE].memory.base = base + HEAP_SMALL_SPACE;
    heap.used[heap.used_count++] = number;
}

/* Takes [memory.base + memory.used, end) for the next block, with its row in the table, and enters
 * it in the index. */
static int space_extend(struct space *space, int kind, uintptr_t end)
{
    unsigned shift = cell_shift[kind];
    size_t used = end - space->memory.base;
    size_t cell = (space->memory.used + ((size_t)1 << shift) - 1) >>
                  shift; /* the first one not in the index */
    size_t cells = (used + ((size_t)1 << shift) - 1) >> shift;
    uint32_t *index = (uint32_t *)space->index.base;

    if (range_cover(&space->table, (space->count + 1) * sizeof(struct heap_block), TABLE_SPACE) ||
        range_cover(&space->index, cells * sizeof *index, INDEX_SPACE) ||
        range_cover(&space->memory, used, space_size[kind]))
        return -1;
    for (; cell < cells; cell++)
        index[cell] = space->count;
    return 0;
}

/* ---- blocks */

static struct heap_block *block_of(const void *addr)
{
    uintptr_t offset = (uintptr_t)addr - HEAP_BASE; /* wraps when below */
    const struct space *space;
    struct heap_block *block;
    int kind;

    if (offset >= (uintptr_t)HEAP_ARENAS << HEAP_SHIFT)
        return NULL;
    space = heap.arenas[offset >> HEAP_SHIFT].spaces;
    offset &= ((uintptr_t)1 << HEAP_SHIFT) - 1;
    kind = offset < HEAP_SMALL_SPACE ? SMALL : LARGE;
    space += kind;
    offset -= kind == SMALL ? 0 : HEAP_SMALL_SPACE;
    if (offset >= space->memory.used)
        return NULL;
    /* What is in use ends with a block, so there is one that ends after `addr`. */
    block = &blocks_of(space)[((const uint32_t *)space->index.base)[offset >> cell_shift[kind]]];
    while (block_end(block) <= (const char *)addr)
        block++;
    return (const char *)addr >= block->start - HEAP_RED_ZONE ? block : NULL;
}

/* A new one at `start`, where there is room. */
static void block_begin(struct heap_arena *arena, struct heap_block *block, size_t size,
                        const void *site)
{
    block->size = size;
    block->alloc_site = site;
    block->free_site = NULL;
    block->rank = arena->rank++;
    block->born = now();
    block->next = block->reached = 0;
    block->state = HEAP_LIVE;
    block->has_object = false;
    if (size < LARGE_BLOCK)
        guard_block_begins(block->start, size);
}

static void *block_new(struct heap_arena *arena, uint32_t thread, size_t size, size_t align,
                       const void *site)
{
    int kind = size < LARGE_BLOCK ? SMALL : LARGE;
    struct space *space = &arena->spaces[kind];
    uintptr_t start = space->memory.base + space->memory.used + HEAP_RED_ZONE;
    size_t room = quarantine_room(size);
    struct heap_block *block;

    start = (start + align - 1) & ~(uintptr_t)(align - 1);
    if (space_extend(space, kind, start + room + HEAP_RED_ZONE))
        return NULL;
    block = &blocks_of(space)[space->count++];
    *block = (struct heap_block){.start = (char *)start,
                                 .room = (uint32_t)(room / HEAP_ROOM_UNIT),
                                 .thread = (uint16_t)thread,
                                 .aligned = align > 16};
    block_begin(arena, block, size, site);
    return block->start;
}

/* Gives the pages back that it has for itself. The others stay as they are. */
static void block_discard(const struct heap_block *block, size_t size)
{
    uintptr_t from = ((uintptr_t)block->start + PAGE - 1) & ~(PAGE - 1);
    uintptr_t end = ((uintptr_t)block->start + size) & ~(PAGE - 1);

    kernel_discard((void *)from, end - from);
}

static void block_clear(const struct heap_block *block, size_t size)
{
    uintptr_t start = (uintptr_t)block->start, end = start + size;

    if (size < LARGE_BLOCK) {
        memset(block->start, 0, size);
        return;
    }
    block_discard(block, size);
    memset(block->start, 0, -start & (PAGE - 1));
    memset((void *)(end & ~(PAGE - 1)), 0, end & (PAGE - 1));
}

/* Its place waits to be handed out again. */
static void block_wait(struct heap_arena *arena, struct space *space, uint32_t index,
                       uint32_t after)
{
    blocks_of(space)[index].after = after;
    quarantine_push(queues_of(space), blocks_of(space), index);
    fingerprint_word(&arena->retired, (uint64_t)index << 2 | (unsigned)(space - arena->spaces)
                                                                 << 1);
    fingerprint_word(&arena->retired, after);
}

/* What others have freed, and the thread knows of, waits with its own from now on. */
static void space_gather(struct heap_arena *arena, struct space *space)
{
    uint32_t index;

    while ((index = quarantine_pop_other(queues_of(space), blocks_of(space), reuse_knows)) !=
           QUARANTINE_NONE)
        block_wait(arena, space, index, 0);
}

/* Whether something waits that others have freed: when it will be handed out again hangs on what the thread comes to know of them. */
static bool others_wait(const struct heap_arena *arena)
{
    for (int kind = 0; arena->rank && kind < SPACES; kind++) {
        const struct space *space = &arena->spaces[kind];

        if (space->queues.used && queues_of(space)->others_count > 0)
            return true;
    }
    return false;
}

/* One that waits, if it is time, or `urgent`. NULL: none. */
static void *block_again(struct heap_arena *arena, size_t size, size_t align, const void *site,
                         bool urgent)
{
    int kind = size < LARGE_BLOCK ? SMALL : LARGE;
    struct space *space = &arena->spaces[kind];
    struct quarantine_wish wish = {size, align, urgent ? 1 : HEAP_LEAST, -1};
    struct heap_block *block;
    uint32_t index;

    if (!space->queues.used || (!urgent && space->memory.used < space_bound[kind]))
        return NULL;
    wish.ready = reuse_ready();
    if (wish.ready >= 0)
        space_gather(arena, space);
    if (align > 16)
        fingerprint_word(&arena->retired, align); /* it may change the order, and get none */
    index = quarantine_pop(queues_of(space), blocks_of(space), &wish);
    if (index == QUARANTINE_NONE)
        return NULL;
    block = &blocks_of(space)[index];
    fingerprint_word(&arena->retired, (uint64_t)index << 2 | (unsigned)kind << 1 | 1);
    block->again = true;
    block_clear(block, size);
    block_begin(arena, block, size, site);
    return block->start;
}

void heap_reuse(int64_t (*ready)(void), bool (*knows)(uint32_t thread, uint32_t when))
{
    reuse_ready = ready;
    reuse_knows = knows;
}

/* Whether its place is one that may be handed out again at all. */
static bool is_behind_quarter(const struct heap_block *block)
{
    int kind = block->size < LARGE_BLOCK ? SMALL : LARGE;
    const struct space *space = &heap.arenas[block->thread].spaces[kind];

    return block->thread != HEAP_INITIAL &&
           (uintptr_t)block->start - space->memory.base >= space_bound[kind] / 4;
}

/* Where a block that was just freed may wait, and as which one; NULL: nowhere. */
static struct space *space_to_wait(const struct heap_block *block, uint32_t *index)
{
    struct space *space =
        &heap.arenas[block->thread].spaces[block->size < LARGE_BLOCK ? SMALL : LARGE];

    if (!reuse_ready || !is_behind_quarter(block) || block->has_object ||
        range_cover(&space->queues, sizeof(struct quarantine), QUEUES_SPACE))
        return NULL;
    *index = (uint32_t)(block - blocks_of(space));
    return space;
}

void heap_retire(const void *ptr, uint32_t after)
{
    struct heap_block *block = block_of(ptr);
    uint32_t index;
    struct space *space = space_to_wait(block, &index);

    if (!space)
        return;
    CHECK(block->free_thread == block->thread, "a block of another thread");
    block_wait(&heap.arenas[block->thread], space, index, after);
}

void heap_return(const void *ptr, uint32_t when)
{
    struct heap_block *block = block_of(ptr);
    uint32_t index;
    struct space *space = space_to_wait(block, &index);

    if (!space)
        return;
    block->after = when;
    quarantine_push_other(queues_of(space), blocks_of(space), index);
}

static struct fingerprint object_print(const struct heap_block *block)
{
    return fingerprint_at((uint64_t)(uintptr_t)block->start, 1);
}

void heap_note_object_slow(const void *addr)
{
    struct heap_block *block = block_of(addr);

    if (!block || block->state != HEAP_LIVE || block->has_object || !is_behind_quarter(block))
        return;
    block->has_object = true;
    fingerprint_plus(&heap.objects, object_print(block));
}

void *heap_alloc(uint32_t thread, size_t size, size_t align, const void *site)
{
    void *start;

    if (size > HEAP_BLOCK_MAX || align > HEAP_BLOCK_MAX || thread > HEAP_OUTSIDE) {
        errno = ENOMEM;
        return NULL;
    }
    if (align < 16)
        align = 16;
    if (thread == HEAP_OUTSIDE)
        return outside_alloc(size, align);
    CHECK(thread != HEAP_INITIAL || !heap.snapshot_taken, "an initial block after the snapshot");
    if (heap.arenas[thread].rank) {
        struct heap_arena *arena = &heap.arenas[thread];

        start = block_again(arena, size, align, site, false);
        if (!start)
            start = block_new(arena, thread, size, align, site);
        return start ? start : block_again(arena, size, align, site, true);
    }
    arena_begin(thread);
    start = block_new(&heap.arenas[thread], thread, size, align, site);
    if (!start)
        heap.used_count--; /* it has no block after all */
    return start;
}

const struct heap_block *heap_find(const void *addr)
{
    return block_of(addr);
}

static enum heap_status block_status(const struct heap_block *block, const void *ptr)
{
    if (!block)
        return HEAP_NO_BLOCK;
    if (block->start != ptr)
        return HEAP_INTERIOR;
    return block->state == HEAP_LIVE ? HEAP_OK : HEAP_DOUBLE_FREE;
}

static void undo_push(struct heap_block *block)
{
    size_t at = heap.undo.used;

    if (!heap.undo.base)
        heap.undo.base = TABLE_BASE + HEAP_ARENAS * SPACES * TABLE_SPACE;
    CHECK(!range_cover(&heap.undo, at + sizeof block, TABLE_SPACE),
          "no memory for the heap's tables");
    memcpy((char *)heap.undo.base + at, &block, sizeof block);
}

enum heap_status heap_free(uint32_t thread, void *ptr, const void *site)
{
    struct heap_block *block;
    enum heap_status status;

    if (outside_owns(ptr))
        return outside_free(ptr) ? HEAP_OK : HEAP_NO_BLOCK;
    block = block_of(ptr);
    status = block_status(block, ptr);
    if (status != HEAP_OK)
        return status;
    block->state = HEAP_FREED;
    block->free_site = site;
    block->free_thread = (uint16_t)thread;
    if (block->size < LARGE_BLOCK)
        guard_block_ends(block->start, block->size);
    if (block->has_object)
        fingerprint_minus(&heap.objects, object_print(block));
    if (block->thread == HEAP_INITIAL) {
        if (heap.snapshot_taken)
            undo_push(block);
    } else if (block->size >= LARGE_BLOCK) {
        block_discard(block, block->size); /* else a few of them would fill the memory */
    }
    return HEAP_OK;
}

enum heap_status heap_realloc(uint32_t thread, void *ptr, size_t size, const void *site, void **out)
{
    enum heap_status status = HEAP_OK;
    size_t old;
    void *fresh;

    if (!outside_owns(ptr))
        status = block_status(block_of(ptr), ptr);
    if (status != HEAP_OK)
        return status;
    old = heap_usable(ptr);
    fresh = heap_alloc(thread, size, 16, site);
    if (!fresh)
        return HEAP_NO_MEMORY;
    memcpy(fresh, ptr, old < size ? old : size);
    *out = fresh;
    return heap_free(thread, ptr, site);
}

size_t heap_usable(const void *ptr)
{
    const struct heap_block *block;

    if (outside_owns(ptr))
        return outside_size(ptr);
    block = block_of(ptr);
    return block_status(block, ptr) == HEAP_OK ? block->size : 0;
}

static void space_each_live(const struct space *space,
                            void (*visit)(void *context, const struct heap_block *block),
                            void *context)
{
    for (uint32_t i = 0; i < space->count; i++) {
        if (blocks_of(space)[i].state == HEAP_LIVE)
            visit(context, &blocks_of(space)[i]);
    }
}

void heap_each_live(void (*visit)(void *context, const struct heap_block *block), void *context)
{
    if (heap.snapshot_taken) {
        for (int kind = 0; kind < SPACES; kind++)
            space_each_live(&heap.arenas[HEAP_INITIAL].spaces[kind], visit, context);
    }
    for (uint32_t i = 0; i < heap.used_count; i++) {
        for (int kind = 0; kind < SPACES; kind++)
            space_each_live(&heap.arenas[heap.used[i]].spaces[kind], visit, context);
    }
}

int heap_snapshot(void)
{
    struct heap_arena *initial = &heap.arenas[HEAP_INITIAL];
    uint32_t kept = 0;

    CHECK(!heap.snapshot_taken, "a second snapshot of the heap");
    for (int kind = 0; kind < SPACES; kind++) {
        struct range *memory = &initial->spaces[kind].memory;

        /* Whole pages: nothing else will be handed out from the last one. */
        if (memory->used &&
            image_add_range((void *)memory->base, (memory->used + PAGE - 1) & ~(PAGE - 1)))
            return -1;
    }
    for (uint32_t i = 0; i < heap.used_count; i++) {
        if (heap.used[i] != HEAP_INITIAL)
            heap.used[kept++] = heap.used[i];
    }
    heap.used_count = kept; /* HEAP_INITIAL is not to be cleared */
    heap.snapshot_taken = true;
    return 0;
}

/* Makes what was handed out read as zeros again. */
static void memory_clear(struct range *memory, size_t by_hand)
{
    size_t end = (memory->used + PAGE - 1) & ~(PAGE - 1);

    if (memory->used <= by_hand) {
        memset((void *)memory->base, 0, memory->used);
    } else {
        memset((void *)memory->base, 0, by_hand);
        CHECK(!kernel_discard((void *)(memory->base + by_hand), end - by_hand), "madvise failed");
    }
    memory->used = 0;
}

void heap_restart(void)
{
    for (uint32_t i = 0; i < heap.used_count; i++) {
        struct heap_arena *arena = &heap.arenas[heap.used[i]];

        for (int kind = 0; kind < SPACES; kind++) {
            struct space *space = &arena->spaces[kind];

            if (!space->count)
                continue;
            guard_forget(space->memory.base, kind == SMALL ? space->memory.used : 0);
            memory_clear(&space->memory, kind == SMALL ? CLEARED_BY_HAND : 0);
            memset((void *)space->queues.base, 0, space->queues.used);
            space->queues.used = 0;
            space->count = 0;
        }
        arena->rank = 0;
        arena->retired = (struct fingerprint){0};
    }
    heap.used_count = 0;
    heap.objects = (struct fingerprint){0};
    for (size_t at = 0; at < heap.undo.used; at += sizeof(struct heap_block *)) {
        struct heap_block *block;

        memcpy(&block, (char *)heap.undo.base + at, sizeof block);
        block->state = HEAP_LIVE;
        block->free_site = NULL;
        if (block->size < LARGE_BLOCK)
            guard_block_begins(block->start, block->size);
    }
    heap.undo.used = 0;
}

static bool blocks_correspond(const struct heap_block *x, const struct heap_block *y,
                              bool (*same)(void *, const char *, const char *, size_t),
                              void *context)
{
    return x->size == y->size && x->room == y->room && x->state == y->state && x->rank == y->rank &&
           x->aligned == y->aligned && x->has_object == y->has_object &&
           (uintptr_t)x->start - heap_of(x->thread) == (uintptr_t)y->start - heap_of(y->thread) &&
           (x->state != HEAP_LIVE || same(context, x->start, y->start, x->size));
}

bool heap_corresponds(uint32_t a, uint32_t b,
                      bool (*same)(void *context, const char *a, const char *b, size_t size),
                      void *context)
{
    const struct heap_arena *x = &heap.arenas[a], *y = &heap.arenas[b];

    if (x->rank != y->rank || !fingerprint_equal(x->retired, y->retired) || others_wait(x) ||
        others_wait(y))
        return false;
    for (int kind = 0; x->rank && kind < SPACES; kind++) {
        const struct heap_block *of_x = (const struct heap_block *)x->spaces[kind].table.base;
        const struct heap_block *of_y = (const struct heap_block *)y->spaces[kind].table.base;

        if (x->spaces[kind].count != y->spaces[kind].count)
            return false;
        for (uint32_t i = 0; i < x->spaces[kind].count; i++)
            if (!blocks_correspond(&of_x[i], &of_y[i], same, context))
                return false;
    }
    return true;
}

bool heap_has_live(uint32_t thread)
{
    const struct heap_arena *arena = &heap.arenas[thread];

    for (int kind = 0; arena->rank && kind < SPACES; kind++) {
        const struct heap_block *blocks = (const struct heap_block *)arena->spaces[kind].table.base;

        for (uint32_t i = 0; i < arena->spaces[kind].count; i++)
            if (blocks[i].state == HEAP_LIVE)
                return true;
    }
    return false;
}

/* Which blocks live, and what is in them, is in the sum of the world (hooks/written.h). Where the next ones of each thread will be is here: threads
 * are in the order in which they came to allocate, which does not count. Who knows of whose frees is no part of a state. */
static bool fingerprint(struct fingerprint *into)
{
    struct fingerprint sum = heap.objects;

    for (uint32_t i = 0; i < heap.used_count; i++) {
        const struct heap_arena *arena = &heap.arenas[heap.used[i]];
        struct fingerprint of = {0};

        if (others_wait(arena))
            return false;
        fingerprint_word(&of, (uint64_t)heap.used[i] << 32 | arena->rank);
        fingerprint_word(&of, arena->spaces[SMALL].memory.used);
        fingerprint_word(&of, arena->spaces[LARGE].memory.used);
        fingerprint_bytes(&of, &arena->retired, sizeof arena->retired);
        fingerprint_plus(&sum, of);
    }
    fingerprint_bytes(into, &sum, sizeof sum);
    return true;
}

const struct part heap_part = {.name = "heap",
                               .state = &heap,
                               .size = sizeof heap,
                               .restart = heap_restart,
                               .fingerprint = fingerprint};
