#include "runtime/files/mapping.h"

#include <stdio.h>
#include <sys/mman.h>

#include "base/fingerprint.h"
#include "model/await.h"
#include "model/buffer.h"
#include "runtime/hooks/plain.h"
#include "runtime/hooks/races.h"

/* Bytes that one step may access. */
#define VISIBLE_MAX ((size_t)64 << 10)

#define RANGES_MAX 256u

enum rights { RIGHTS_ALL, RIGHTS_READ, RIGHTS_NONE };

struct range {
    uintptr_t low, high;
    enum rights rights;
};

/* Ranges that may not be both read and written. */
static struct {
    struct range at[RANGES_MAX];
    uint32_t count;
    bool lost; /* there were more */
} ranges;

static enum rights rights_of(int protection)
{
    if (protection & PROT_WRITE)
        return RIGHTS_ALL;
    return protection ? RIGHTS_READ : RIGHTS_NONE;
}

static void restart(void)
{
    ranges.count = 0;
    ranges.lost = false;
}

/* ---- what is known of a range */

static void range_add(uintptr_t low, uintptr_t high, enum rights rights)
{
    if (low >= high || rights == RIGHTS_ALL)
        return;
    if (ranges.count == RANGES_MAX)
        ranges.lost = true;
    else
        ranges.at[ranges.count++] = (struct range){low, high, rights};
}

static void range_set(uintptr_t low, uintptr_t high, enum rights rights)
{
    for (uint32_t i = ranges.count; i-- > 0;) {
        struct range old = ranges.at[i];

        if (old.high <= low || high <= old.low)
            continue;
        ranges.at[i] = ranges.at[--ranges.count];
        range_add(old.low, low, old.rights);
        range_add(high, old.high, old.rights);
    }
    range_add(low, high, rights);
}

/* The least and the most that may be done with a part of it. */
static void range_rights(uintptr_t low, uintptr_t high, enum rights *least, enum rights *most)
{
    uintptr_t covered = 0;

    *least = RIGHTS_ALL;
    *most = RIGHTS_NONE;
    for (uint32_t i = 0; i < ranges.count; i++) {
        const struct range *range = &ranges.at[i];
        uintptr_t from = range->low > low ? range->low : low;
        uintptr_t to = range->high < high ? range->high : high;

        if (from >= to)
            continue;
        covered += to - from;
        if (range->rights > *least)
            *least = range->rights;
        if (range->rights < *most)
            *most = range->rights;
    }
    if (covered < high - low)
        *most = RIGHTS_ALL;
    if (ranges.lost)
        *least = RIGHTS_NONE;
}

static bool is_ordinary(uintptr_t low, uintptr_t high)
{
    enum rights least, most;

    range_rights(low, high, &least, &most);
    return least == RIGHTS_ALL;
}

/* ---- the access that a call counts as */

/* Without the detector it is a step that accesses all of the range. */
static void make_visible(void *at, size_t size, bool writes)
{
    if (size > VISIBLE_MAX || !is_ordinary((uintptr_t)at, (uintptr_t)at + size))
        native_unsupported("taking more than 64 KiB of mapped memory, or what may not be read and "
                           "written, with --races=ignore");
    else if (writes)
        native_writes(at, size);
    else
        native_reads(at, size);
}

static void count_access(const char *call, void *at, size_t size, bool writes, bool stays)
{
    uintptr_t low = (uintptr_t)at;

    if (!native.current || native_direct(at) || size == 0 || native.current->sections)
        return;
    if (!native.detects) {
        make_visible(at, size, writes);
        return;
    }
    races_note_call(call);
    if (stays)
        (writes ? detect_write_range : detect_read_range)(low, size);
    else
        detect_gone_range(low, size, writes); /* a later access faults */
    races_note_call(NULL);
    detect_tick(); /* else the next access would pass as known */
}

/* ---- accesses that are still to come: the engine would make them, and must not fault */

static bool is_in(uint64_t addr, uint64_t low, uint64_t high)
{
    return addr < high && low < addr + sizeof(cell_value);
}

static bool buffer_has(const struct buffer *buffer, uint64_t low, uint64_t high)
{
    for (uint32_t i = buffer->head; i < buffer->stores.count; i++)
        if (is_in(buffer->stores.at[i].addr, low, high))
            return true;
    return false;
}

static bool await_has(const struct await *await, uint64_t low, uint64_t high)
{
    for (uint32_t i = 0; i < await->count; i++)
        if (await->reads[i].object == OBJECT_CELL && is_in(await->reads[i].addr, low, high))
            return true;
    return false;
}

static bool op_has(const struct op *op, uint64_t low, uint64_t high, bool to_write)
{
    if (op->kind == OP_AWAIT)
        return !to_write && await_has((const struct await *)(uintptr_t)op->addr, low, high);
    return op_infos[op->kind].object == OBJECT_CELL && is_in(op->addr, low, high) &&
           !(to_write && op->kind == OP_LOAD);
}

/* Whether the agent, another thread or its buffer, accesses the range next, or writes to it. */
static bool agent_has(agent_id agent, uint64_t low, uint64_t high, bool to_write)
{
    const struct world *world = native.world;

    if (world->agents.at[agent].is_buffer)
        return buffer_has(&world->buffers.at[agent], low, high);
    return agent != native.current->agent && world->threads.at[agent].status == THREAD_RUNNING &&
           op_has(&world->threads.at[agent].pending, low, high, to_write);
}

static void check_pending(const char *call, const void *at, size_t size, bool to_write)
{
    const struct world *world = native.world;
    uint64_t low = (uint64_t)(uintptr_t)at;
    char text[400];
    struct text t = text_open(text, sizeof text);

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];

        if (!agent_has(agent, low, low + size, to_write))
            continue;
        text_add(&t, "%s takes memory away that ", call);
        native_thread_words(&t, (uint32_t)world->agents.at[world->agents.at[agent].thread].key);
        text_add(&t, " is about to access");
        native_crash(BUG_MEMORY, native_text(text));
    }
}

/* Its own stores are in memory before that: the kernel takes locks. */
static void drain(void)
{
    struct op fence = native_op(OP_FENCE, NULL);

    if (!world_is_buffered(native.world) || native.current->sections)
        return;
    fence.variant = OP_VARIANT_LOCKED;
    native_ask(&fence);
}

/* ---- the calls */

void mapping_made(const void *at, size_t size, int protection)
{
    range_set((uintptr_t)at, (uintptr_t)at + size, rights_of(protection));
}

void mapping_taken(const char *call, void *at, size_t size, bool stays)
{
    if (native.current)
        drain();
    count_access(call, at, size, true, stays);
    if (native.current && !stays)
        check_pending(call, at, size, false);
    if (!stays)
        range_set((uintptr_t)at, (uintptr_t)at + size, RIGHTS_ALL);
}

void mapping_protected(void *at, size_t size, int protection)
{
    enum rights now = rights_of(protection), least, most;

    range_rights((uintptr_t)at, (uintptr_t)at + size, &least, &most);
    if (least != now || most != now) { /* if reading stays all right, only writes differ */
        drain();
        count_access("mprotect", at, size, least == RIGHTS_NONE || now == RIGHTS_NONE, true);
        if (now != RIGHTS_ALL)
            check_pending("mprotect", at, size, now == RIGHTS_READ);
    }
    range_set((uintptr_t)at, (uintptr_t)at + size, now);
}

bool mapping_is_emptied(int advice)
{
    switch (advice) {
    case MADV_NORMAL:
    case MADV_RANDOM:
    case MADV_SEQUENTIAL:
    case MADV_WILLNEED:
    case MADV_DONTFORK:
    case MADV_DOFORK:
    case MADV_MERGEABLE:
    case MADV_UNMERGEABLE:
    case MADV_HUGEPAGE:
    case MADV_NOHUGEPAGE:
    case MADV_DONTDUMP:
    case MADV_DODUMP:
    case MADV_WIPEONFORK:
    case MADV_KEEPONFORK:
    case MADV_COLD:
    case MADV_PAGEOUT:
    case MADV_POPULATE_READ:
    case MADV_POPULATE_WRITE:
        return false;
    default: /* what is not known may */
        return true;
    }
}

static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return ranges.count == 0 && !ranges.lost;
}

const struct part protections_part = {.name = "protections",
                                      .state = &ranges,
                                      .size = sizeof ranges,
                                      .restart = restart,
                                      .fingerprint = fingerprint};
