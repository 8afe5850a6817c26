#ifndef RADDLE_DETECT_DETECT_H
#define RADDLE_DETECT_DETECT_H

/* Ground rules of the room `detect`: it watches an execution and finds data races: two accesses to a byte by different threads, one of
 * them a write, at most one of them atomic, that no synchronisation orders. What synchronises is told by the world (watch.h, and
 * the column SYNC of ops.def); plain accesses are told by the target. It decides exactly: no race of the
 * execution goes unnoticed before the first one is found, and none is made up. It knows nothing of places in the source.
 *
 * There is one detector in a process, since the check of an access must cost a few instructions. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "detect/future.h"
#include "detect/late.h"
#include "detect/passage.h"
#include "detect/shadow.h"
#include "detect/sync.h"

/* What an access is for: locks, conditions and their like are accessed by being used, made and ended. */
enum detect_use { DETECT_MEMORY, DETECT_USE, DETECT_MAKE, DETECT_END };

/* One side of a race. */
struct detect_access {
    uint32_t thread;
    epoch when;
    bool writes;
    bool atomic;
    uint8_t use; /* enum detect_use; known of accesses that are told to `seen` only */
};

struct detect_race {
    uint64_t addr; /* the first byte that both touch, */
    unsigned size; /* and how many in a row */
    struct detect_access now, before;
};

struct detector {
    /* what the fast path needs comes first */
    uint32_t generation; /* of the execution; below SHADOW_WIDE */
    epoch now; /* of the thread that runs; EPOCH_NEVER while something waits to be judged */
    struct shadow_cell **chunks;
    uint32_t thread; /* that runs */
    bool forgot;     /* something was left out that may have ordered accesses: a race may be none */
    bool on;
    struct arena arena;
    struct clock_space space;
    struct sync sync;
    struct shadow shadow;
    struct late late;
    /* Called in the middle of an access; must not access memory through the detector. */
    void (*found)(const struct detect_race *race);
    /* If set, called for each access before it is checked, except for those that a caller of detect_known left out. */
    void (*seen)(const struct detect_access *access, uint64_t addr, size_t size);
    uint64_t
        *published; /* where how a cell begins that the running thread has just written is kept */
    const char *given_up; /* why races may have been missed in this process, or NULL */
    /* Blocks that the program allocates: allocating one counts as a write to all of it, which is remembered when somebody accesses it. */
    struct {
        uint64_t base, size; /* where they are, */
        unsigned shift;      /* and whose: (address - base) >> shift is the number of its thread */
        bool ending; /* the access under way frees one: C orders that behind its allocation */
        /* when the block there was allocated; 0: none is, or nobody can race with that */
        epoch (*born)(uint64_t addr);
    } blocks;
    /* For searches that compare states: see future.h. */
    bool logs; /* what the transition under way does goes to `log` */
    struct passage_log log;
    struct futures *futures; /* or NULL */
    struct clock asked;      /* scratch */
};

extern struct detector detector;

static inline void detect_publish(void)
{
    *detector.published = detector.generation | (uint64_t)detector.now << 32;
}

/* Before anything else, once. `found` is called for each race, and may be called again for the same one. False: no memory. */
bool detect_open(void (*found)(const struct detect_race *race));

/* A new execution: nothing has happened, thread 0 runs. */
void detect_restart(void);

/* That thread runs from now on, until the next call. */
void detect_run(uint32_t thread);

/* A block is allocated by the thread that runs: when that is. */
epoch detect_now(void);

/* Whether the running thread comes after all that another one did up to a moment: what detect_now told, less the number of the thread. */
bool detect_knows(uint32_t thread, uint32_t clock);

/* Makes it known what the running thread knows, which may have waited (late.h). True if it had. */
static inline bool detect_settle(void)
{
    if (__builtin_expect(detector.late.count == 0, 1))
        return false;
    late_settle_all();
    return true;
}

/* ---- accesses of the running thread. Any address and size will do. */

void detect_read_range(uint64_t addr, size_t size);
void detect_write_range(uint64_t addr, size_t size);

/* Accesses of `size` bytes that go on by `stride` from `first` on; there is one at least. */
struct detect_span {
    uint64_t first, count;
    int64_t stride;
    unsigned size;
    bool writes;
    bool known; /* set by detect_spans: they add nothing to what was known */
};

/* The lowest address of them, and how many bytes there are from there to the end of the highest. */
static inline uint64_t detect_span_low(const struct detect_span *span)
{
    return span->stride < 0 ? span->first + (span->count - 1) * (uint64_t)span->stride
                            : span->first;
}

static inline uint64_t detect_span_bytes(const struct detect_span *span)
{
    uint64_t stride = span->stride < 0 ? -(uint64_t)span->stride : (uint64_t)span->stride;

    return (span->count - 1) * stride + span->size;
}

/* All of them by the running thread, if none races with what is known; else false, and nothing has changed. Nobody is told of
 * them one by one (detector.seen). */
bool detect_spans(struct detect_span *spans, uint32_t count);

/* The running thread makes one of them: for detector.seen. */
void detect_span_seen(uint64_t addr, size_t size, bool writes);

/* Memory that is not there any more: one of these, but nothing is remembered of what nobody has accessed so far. */
void detect_gone_range(uint64_t addr, size_t size, bool writes);

/* It frees that block: a write to all of it. */
void detect_free_range(uint64_t addr, size_t size);

/* An atomic access of that thread, which need not be the running one. */
void detect_atomic(uint32_t thread, uint64_t addr, size_t size, bool writes);

/* That thread uses, makes or ends the lock, condition, … at `addr`: to use it reads its first byte, the others write it. */
void detect_object(uint32_t thread, uint64_t addr, enum detect_use use);

/* Always in place: it is a few instructions, and loops over cells consist of it. */
static inline __attribute__((always_inline)) bool detect_cell_known(const struct shadow_cell *cell,
                                                                    uint32_t bytes, bool writes)
{
    if (cell->generation != detector.generation)
        return false;
    if ((bytes & ~cell->written) == 0 && cell->write == detector.now)
        return true;
    return !writes && (bytes & ~cell->read) == 0 &&
           moments_have(detector.shadow.vectors, cell->reads, detector.now);
}

/* The same, but for what several threads have read: needs few registers. */
static inline bool detect_cell_recent(const struct shadow_cell *cell, uint32_t bytes, bool writes)
{
    if (cell->generation != detector.generation)
        return false;
    return ((bytes & ~cell->written) == 0 && cell->write == detector.now) ||
           (!writes && (bytes & ~cell->read) == 0 && cell->reads == detector.now);
}

/* Asks the cells of 1, 2, 4 or 8 bytes. Always in place, so that `ask` is, too. */
static inline __attribute__((always_inline)) bool
detect_cells(uint64_t addr, unsigned size, bool writes,
             bool (*ask)(const struct shadow_cell *cell, uint32_t bytes, bool writes))
{
    const struct shadow_cell *cell;

    if (size > 8 || (addr & (size - 1)) || addr >> SHADOW_ADDRESS_BITS)
        return false;
    cell = shadow_known(detector.chunks, addr);
    if (!cell)
        return false;
    if (size < 8)
        return ask(cell, shadow_bytes(addr, size), writes);
    return ask(&cell[0], 15, writes) && ask(&cell[1], 15, writes);
}

/* Quick looks at 1, 2, 4 or 8 bytes. True: the access adds nothing to what is known, and need not be told. */
static inline bool detect_known(uint64_t addr, unsigned size, bool writes)
{
    return detect_cells(addr, size, writes, detect_cell_known);
}

/* The same, but for what several threads have read. */
static inline bool detect_recent(uint64_t addr, unsigned size, bool writes)
{
    return detect_cells(addr, size, writes, detect_cell_recent);
}

/* What the running thread has accessed so far is not known to be fine any more: it has freed some of it. */
void detect_tick(void);

/* Whether two accesses to those bytes have been declared to be looked at in every order (detect_expose), so that each is to be made a visible operation. */
bool detect_is_exposed(uint64_t addr, size_t size);

/* Declares it for the eight bytes around `addr`, for this and all later executions. */
void detect_expose(uint64_t addr);

#endif
