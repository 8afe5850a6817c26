#ifndef RADDLE_DETECT_SHADOW_H
#define RADDLE_DETECT_SHADOW_H

#include "detect/clock.h"

/* What is remembered of memory: for each granule of 4 bytes, who accessed it last. A granule whose bytes have different
 * histories, or that was accessed atomically, has its history elsewhere (struct shadow_wide), one part for the bytes that share one.
 *
 * Programs fill, copy and free blocks of megabytes of which they use a few bytes. So 1 KiB has one cell more, its group. It stands for all
 * granules of its KiB as long as each access was to the whole; their own cells are then older than the execution. */

#define SHADOW_CHUNK_SHIFT  22 /* of the address: 4 MiB of memory have one chunk of cells */
#define SHADOW_ADDRESS_BITS 47
#define SHADOW_CHUNKS       ((size_t)1 << (SHADOW_ADDRESS_BITS - SHADOW_CHUNK_SHIFT))
#define SHADOW_GRANULE      4
#define SHADOW_CHUNK_CELLS  ((size_t)1 << (SHADOW_CHUNK_SHIFT - 2))
#define SHADOW_GROUP_SHIFT  10 /* of the address */
#define SHADOW_GROUP        ((size_t)1 << SHADOW_GROUP_SHIFT)
#define SHADOW_GROUP_CELLS  (SHADOW_GROUP / SHADOW_GRANULE)
#define SHADOW_CHUNK_GROUPS (SHADOW_CHUNK_CELLS / SHADOW_GROUP_CELLS) /* they follow its cells */

/* In a cell's generation: the history is elsewhere; a group's is then in its cells. The quick checks, which compare generations, fail then. */
#define SHADOW_WIDE ((uint32_t)1 << 31)

/* A set of moments, none of which comes before another one: empty (0), one epoch, or, if its thread is EPOCH_THREAD_MAX, the number of
 * a vector with the latest clock of each thread. */
typedef epoch moments;

#define MOMENTS_UNIT         16u /* numbers; vectors begin at multiples of it, with their length */
#define MOMENTS_IS_VECTOR(m) (epoch_thread(m) == EPOCH_THREAD_MAX)

struct shadow_cell {
    uint32_t generation; /* older than the execution: never accessed */
    epoch write;         /* the last one; SHADOW_WIDE: which shadow_wide */
    moments reads;       /* since that one */
    uint8_t written;     /* which bytes that write is about, */
    uint8_t read;        /* and which ones the reads */
    uint8_t exposed;     /* for good (detect_expose); a group: one of its cells is */
    uint8_t unused;
};

struct shadow_part {
    uint32_t bytes;
    epoch write;
    moments reads, atomic_writes, atomic_reads; /* since that write */
};

struct shadow_wide {
    uint32_t count;
    struct shadow_part parts[SHADOW_GRANULE];
};

struct shadow {
    struct shadow_wide *wides; /* of this execution */
    uint32_t wide_count;
    uint32_t *vectors; /* each: how many clocks, and these */
    uint32_t vector_units;
    bool any_exposed;
};

/* Whether `now` is one of the moments. Only asked of the latest one of its thread. */
static inline bool moments_have(const uint32_t *vectors, moments m, epoch now)
{
    const uint32_t *vector;

    if (m == now)
        return true;
    if (!MOMENTS_IS_VECTOR(m))
        return false;
    vector = &vectors[(size_t)epoch_clock(m) * MOMENTS_UNIT];
    return epoch_thread(now) < vector[0] && vector[1 + epoch_thread(now)] == epoch_clock(now);
}

/* Which bytes of its granule those are. */
static inline uint32_t shadow_bytes(uint64_t addr, unsigned size)
{
    return (((uint32_t)1 << size) - 1) << (addr & (SHADOW_GRANULE - 1));
}

/* The cell of a granule, or NULL if there is none yet. The address must be below 2^47. */
static inline struct shadow_cell *shadow_known(struct shadow_cell **chunks, uint64_t addr)
{
    struct shadow_cell *chunk = chunks[addr >> SHADOW_CHUNK_SHIFT];

    return chunk ? &chunk[(addr >> 2) & (SHADOW_CHUNK_CELLS - 1)] : NULL;
}

enum shadow_kind {
    SHADOW_READ,
    SHADOW_WRITE,
    SHADOW_ATOMIC_READ,
    SHADOW_ATOMIC_WRITE,
};

/* Who accesses: its time, and what it knows. */
struct shadow_who {
    uint32_t thread;
    epoch now;
    const struct clock *clock;
    bool
        blocks; /* and where: the memory may be a block whose allocation counts (detector.blocks) */
};

bool shadow_open(void);
void shadow_restart(void);

/* Checks an access against those before it, and remembers it. */
void shadow_access(const struct shadow_who *who, uint64_t addr, size_t size, enum shadow_kind kind);

/* Whether such a plain access adds nothing to what is known: the thread has made it before, since it last released anything. */
bool shadow_knows(const struct shadow_who *who, uint64_t addr, size_t size, enum shadow_kind kind);

/* The same for `count` accesses that go on by `stride` bytes, if each has a cell of its own that says so: else false. */
bool shadow_knows_each(uint64_t addr, uint64_t stride, uint64_t count, unsigned size, bool writes);

/* Whether such an access would come behind all that it conflicts with. Remembers nothing. */
bool shadow_is_ordered(const struct shadow_who *who, uint64_t addr, size_t size,
                       enum shadow_kind kind);

/* The cell of a granule; NULL if there can be none: the address is no program's, or memory is out. */
struct shadow_cell *shadow_cell(uint64_t addr);

/* That of its group, if it has a cell. */
struct shadow_cell *shadow_group(uint64_t addr);

#endif
