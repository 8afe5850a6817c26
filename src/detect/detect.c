#include "detect/detect.h"

#include "base/check.h"

#define ARENA_RESERVE ((size_t)1 << 36)

static uint64_t nobody; /* outlives a run: nobody reads it */

/* Of the part, but apart: detect_restart brings it back, for the races of the runtime and for tests. */
struct detector detector = {.published = &nobody};

bool detect_open(void (*found)(const struct detect_race *race))
{
    if (arena_open(&detector.arena, ARENA_RESERVE) != 0 || !shadow_open())
        return false;
    detector.space.arena = &detector.arena;
    detector.found = found;
    detector.on = true;
    sync_open();
    return true;
}

void detect_restart(void)
{
    if (!detector.on)
        return;
    CHECK(detector.generation + 1 < SHADOW_WIDE, "more than two billion executions");
    detector.space.generation = ++detector.generation;
    detector.forgot = false;
    late_restart();
    shadow_restart();
    sync_restart();
    future_log(false);
    detect_run(0);
}

static epoch now_of(uint32_t thread)
{
    return epoch_of(thread, clock_get(&detector.space, sync_clock(thread), thread));
}

void detect_run(uint32_t thread)
{
    if (!detector.on)
        return;
    detector.thread = thread;
    detector.now = detector.late.count ? EPOCH_NEVER : now_of(thread);
    detect_publish();
}

/* Who asks allocates a block: that is a write, which even an atomic access may race with. */
epoch detect_now(void)
{
    detect_settle();
    detector.late.kinds |= LATE_PLAIN;
    return detector.now;
}

bool detect_knows(uint32_t thread, uint32_t clock)
{
    detect_settle();
    return clock_get(&detector.space, sync_clock(detector.thread), thread) >= clock;
}

/* Whether it is memory whose allocation counts. Not for who allocated it and writes to it, as that comes later. */
static bool is_born(uint32_t thread, uint64_t addr, enum shadow_kind kind)
{
    uint64_t offset = addr - detector.blocks.base; /* wraps when below */

    return offset < detector.blocks.size && !detector.blocks.ending &&
           (kind != SHADOW_WRITE || offset >> detector.blocks.shift != thread);
}

/* For what may follow a state: that a thread's own allocation comes before its accesses needs no demand. */
static void access_log(const struct shadow_who *who, uint64_t addr, size_t size,
                       enum shadow_kind kind)
{
    bool own = (addr - detector.blocks.base) >> detector.blocks.shift == who->thread;

    passage_accesses(who->thread, addr, size, kind, who->blocks && !own);
}

static void thread_access_for(uint32_t thread, epoch now, uint64_t addr, size_t size,
                              enum shadow_kind kind, enum detect_use use)
{
    struct shadow_who who = {thread, now, sync_clock(thread), is_born(thread, addr, kind)};
    struct detect_access access = {thread, now, kind == SHADOW_WRITE || kind == SHADOW_ATOMIC_WRITE,
                                   kind == SHADOW_ATOMIC_READ || kind == SHADOW_ATOMIC_WRITE, use};

    if (detector.seen)
        detector.seen(&access, addr, size);
    if (detector.logs)
        access_log(&who, addr, size, kind);
    shadow_access(&who, addr, size, kind);
}

static void thread_access(uint32_t thread, epoch now, uint64_t addr, size_t size,
                          enum shadow_kind kind)
{
    thread_access_for(thread, now, addr, size, kind, DETECT_MEMORY);
}

/* By the running thread, and no operation. */
static void plain_access(uint64_t addr, size_t size, enum shadow_kind kind)
{
    detect_settle();
    detector.late.kinds |= LATE_PLAIN;
    thread_access(detector.thread, detector.now, addr, size, kind);
}

void detect_read_range(uint64_t addr, size_t size)
{
    plain_access(addr, size, SHADOW_READ);
}

void detect_write_range(uint64_t addr, size_t size)
{
    plain_access(addr, size, SHADOW_WRITE);
}

/* ---- many at once */

typedef bool span_visit(const struct shadow_who *who, uint64_t addr, size_t size,
                        enum shadow_kind kind);

/* In as few pieces as cover them exactly. */
static bool span_each(const struct detect_span *span, span_visit *visit)
{
    uint64_t low = detect_span_low(span), bytes = detect_span_bytes(span);
    uint64_t stride = span->stride < 0 ? -(uint64_t)span->stride : (uint64_t)span->stride;
    enum shadow_kind kind = span->writes ? SHADOW_WRITE : SHADOW_READ;
    struct shadow_who who = {detector.thread, detector.now, sync_clock(detector.thread),
                             is_born(detector.thread, low, kind)};

    if (stride <= span->size)
        return visit(&who, low, bytes, kind);
    for (uint64_t i = 0; i < span->count; i++)
        if (!visit(&who, low + i * stride, span->size, kind))
            return false;
    return true;
}

static bool span_tell(const struct shadow_who *who, uint64_t addr, size_t size,
                      enum shadow_kind kind)
{
    detector.late.kinds |= LATE_PLAIN;
    if (detector.logs)
        access_log(who, addr, size, kind);
    shadow_access(who, addr, size, kind);
    return true;
}

/* Most often each has a cell that says so. */
static bool span_is_known(const struct detect_span *span)
{
    uint64_t low = detect_span_low(span);
    uint64_t stride = span->stride < 0 ? -(uint64_t)span->stride : (uint64_t)span->stride;

    bool known = stride > span->size;

    for (unsigned at = 0; known && at < span->size; at += SHADOW_GRANULE) {
        unsigned size = span->size - at < SHADOW_GRANULE ? span->size - at : SHADOW_GRANULE;

        known = shadow_knows_each(low + at, stride, span->count, size, span->writes);
    }
    return known || span_each(span, shadow_knows);
}

bool detect_spans(struct detect_span *spans, uint32_t count)
{
    detect_settle();
    for (uint32_t i = 0; i < count; i++) {
        spans[i].known = span_is_known(&spans[i]);
        if (!spans[i].known && !span_each(&spans[i], shadow_is_ordered))
            return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!spans[i].known)
            span_each(&spans[i], span_tell);
    return true;
}

void detect_span_seen(uint64_t addr, size_t size, bool writes)
{
    struct detect_access access = {detector.thread, detector.now, writes, false, DETECT_MEMORY};

    if (detector.seen)
        detector.seen(&access, addr, size);
}

/* Whether it will be accessed in another execution, on another way to the same state, is not known: the log has all of it. */
void detect_gone_range(uint64_t addr, size_t size, bool writes)
{
    const uint64_t chunk = (uint64_t)1 << SHADOW_CHUNK_SHIFT;
    const uint64_t limit = (uint64_t)1 << SHADOW_ADDRESS_BITS;
    uint64_t end = addr < limit && size < limit - addr ? addr + size : limit;

    detect_settle();
    if (detector.logs)
        passage_accesses(detector.thread, addr, size, writes ? SHADOW_WRITE : SHADOW_READ, false);
    while (addr < end) {
        uint64_t next = (addr | (chunk - 1)) + 1;

        if (next > end)
            next = end;
        if (shadow_known(detector.chunks, addr))
            (writes ? detect_write_range : detect_read_range)(addr, next - addr);
        addr = next;
    }
}

void detect_free_range(uint64_t addr, size_t size)
{
    detect_settle();
    detector.blocks.ending = true;
    detect_write_range(addr, size);
    detector.blocks.ending = false;
}

void detect_atomic(uint32_t thread, uint64_t addr, size_t size, bool writes)
{
    detect_settle();
    detector.late.kinds |= LATE_ATOMIC;
    thread_access(thread, now_of(thread), addr, size,
                  writes ? SHADOW_ATOMIC_WRITE : SHADOW_ATOMIC_READ);
}

/* Uses are many, and plain reads cost the least. */
void detect_object(uint32_t thread, uint64_t addr, enum detect_use use)
{
    detector.late.kinds |= use == DETECT_USE ? LATE_USE : LATE_PLAIN;
    thread_access_for(thread, now_of(thread), addr, 1,
                      use == DETECT_USE ? SHADOW_READ : SHADOW_WRITE, use);
}

void detect_tick(void)
{
    detect_settle();
    sync_tick(detector.thread);
    detect_run(detector.thread);
}

/* The end of the group if nothing in it is exposed, or else of the granule. */
static uint64_t exposed_next(uint64_t at)
{
    bool whole = at >> SHADOW_ADDRESS_BITS || !shadow_known(detector.chunks, at) ||
                 !shadow_group(at)->exposed;

    return (at | ((whole ? SHADOW_GROUP : SHADOW_GRANULE) - 1)) + 1;
}

bool detect_is_exposed(uint64_t addr, size_t size)
{
    if (!detector.shadow.any_exposed)
        return false;
    for (uint64_t at = addr; at < addr + size; at = exposed_next(at)) {
        const struct shadow_cell *cell =
            at >> SHADOW_ADDRESS_BITS ? NULL : shadow_known(detector.chunks, at);

        if (cell && cell->exposed)
            return true;
    }
    return false;
}

void detect_expose(uint64_t addr)
{
    struct shadow_cell *cell = shadow_cell(addr & ~(uint64_t)7);

    if (cell) {
        cell[0].exposed = cell[1].exposed = 1;
        shadow_group(addr)->exposed = 1;
    }
    detector.shadow.any_exposed = true;
}
