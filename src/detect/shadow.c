#include "detect/shadow.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "detect/detect.h"

/* The rules are those of FastTrack (Flanagan and Freund 2009): as long as there was no race, the writes to a byte are ordered, so the
 * last one stands for all; reads need a clock for each thread only while they are unordered among themselves. Atomic
 * accesses, which may be unordered among themselves, are kept like reads. */

#define WIDE_MAX     ((uint32_t)1 << 24)
#define VECTOR_UNITS (EPOCH_CLOCK_MAX + 1)

#define SHADOW_ALL_BYTES 15u /* of a granule */

_Static_assert(sizeof(struct shadow_cell) == 16 && offsetof(struct shadow_cell, exposed) == 14,
               "cells_alike compares two words, the second one without its last two bytes");

/* Straight from the kernel: mmap itself may be the program's. */
static void *pages(size_t size)
{
    void *at = (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);

    if (at == MAP_FAILED)
        return NULL;
    syscall(SYS_madvise, at, size, MADV_NOHUGEPAGE); /* one touched byte must cost one page */
    return at;
}

bool shadow_open(void)
{
    struct shadow *shadow = &detector.shadow;

    detector.chunks = pages(SHADOW_CHUNKS * sizeof *detector.chunks);
    shadow->wides = pages(WIDE_MAX * sizeof *shadow->wides);
    shadow->vectors = pages((size_t)VECTOR_UNITS * MOMENTS_UNIT * sizeof *shadow->vectors);
    return detector.chunks && shadow->wides && shadow->vectors;
}

void shadow_restart(void)
{
    detector.shadow.wide_count = 0;
    detector.shadow.vector_units = 1; /* 0 is no vector */
}

struct shadow_cell *shadow_cell(uint64_t addr)
{
    struct shadow_cell **chunk;

    if (addr >> SHADOW_ADDRESS_BITS)
        return NULL;
    chunk = &detector.chunks[addr >> SHADOW_CHUNK_SHIFT];
    if (!*chunk)
        *chunk = pages((SHADOW_CHUNK_CELLS + SHADOW_CHUNK_GROUPS) * sizeof **chunk);
    if (!*chunk)
        detector.given_up = "no memory to remember accesses";
    return shadow_known(detector.chunks, addr);
}

struct shadow_cell *shadow_group(uint64_t addr)
{
    struct shadow_cell *chunk = detector.chunks[addr >> SHADOW_CHUNK_SHIFT];

    return &chunk[SHADOW_CHUNK_CELLS + ((addr >> SHADOW_GROUP_SHIFT) & (SHADOW_CHUNK_GROUPS - 1))];
}

/* ---- sets of moments */

static bool is_before(const struct shadow_who *who, epoch e)
{
    return epoch_clock(e) <= clock_get(&detector.space, who->clock, epoch_thread(e));
}

static uint32_t *vector_at(moments m)
{
    return &detector.shadow.vectors[(size_t)epoch_clock(m) * MOMENTS_UNIT];
}

/* A new vector that has an entry for `thread`. */
static moments vector_new(uint32_t thread)
{
    struct shadow *shadow = &detector.shadow;
    uint32_t units = (thread + 1) / MOMENTS_UNIT + 1;
    moments m;

    if (shadow->vector_units + units > VECTOR_UNITS) {
        detector.given_up = "too many granules of memory that several threads read";
        shadow->vector_units = 1;
    }
    m = epoch_of(EPOCH_THREAD_MAX, shadow->vector_units);
    shadow->vector_units += units;
    memset(vector_at(m), 0, units * MOMENTS_UNIT * sizeof(uint32_t));
    *vector_at(m) = units * MOMENTS_UNIT - 1;
    return m;
}

static moments vector_copy(moments m, uint32_t thread)
{
    uint32_t count = *vector_at(m);
    moments copy = vector_new(thread > count - 1 ? thread : count - 1);

    memcpy(vector_at(copy) + 1, vector_at(m) + 1, count * sizeof(uint32_t));
    return copy;
}

/* One that the set holds and that does not come before `who`'s time; 0 if there is none. */
static epoch moments_unordered(const struct shadow_who *who, moments m)
{
    const uint32_t *vector;

    if (m == 0)
        return 0;
    if (!MOMENTS_IS_VECTOR(m))
        return is_before(who, m) ? 0 : m;
    vector = vector_at(m);
    for (uint32_t i = 0; i < *vector; i++)
        if (vector[1 + i] && !is_before(who, epoch_of(i, vector[1 + i])))
            return epoch_of(i, vector[1 + i]);
    return 0;
}

static void moments_add(const struct shadow_who *who, moments *m)
{
    epoch old = *m;

    if (old == 0 || old == who->now || (!MOMENTS_IS_VECTOR(old) && is_before(who, old))) {
        *m = who->now;
        return;
    }
    if (!MOMENTS_IS_VECTOR(old)) {
        *m = vector_new(who->thread > epoch_thread(old) ? who->thread : epoch_thread(old));
        vector_at(*m)[1 + epoch_thread(old)] = epoch_clock(old);
    } else if (who->thread >= *vector_at(old)) {
        *m = vector_copy(old, who->thread);
    }
    vector_at(*m)[1 + who->thread] = epoch_clock(who->now);
}

/* ---- checking */

/* What an access conflicts with: bit k stands for enum shadow_kind k. */
static const uint8_t conflicts[] = {
    [SHADOW_READ] = 1 << SHADOW_WRITE | 1 << SHADOW_ATOMIC_WRITE,
    [SHADOW_WRITE] =
        1 << SHADOW_READ | 1 << SHADOW_WRITE | 1 << SHADOW_ATOMIC_READ | 1 << SHADOW_ATOMIC_WRITE,
    [SHADOW_ATOMIC_READ] = 1 << SHADOW_WRITE,
    [SHADOW_ATOMIC_WRITE] = 1 << SHADOW_READ | 1 << SHADOW_WRITE,
};

static bool kind_writes(enum shadow_kind kind)
{
    return kind == SHADOW_WRITE || kind == SHADOW_ATOMIC_WRITE;
}

static bool kind_is_atomic(enum shadow_kind kind)
{
    return kind == SHADOW_ATOMIC_READ || kind == SHADOW_ATOMIC_WRITE;
}

static void race_report(const struct shadow_who *who, uint64_t addr, uint32_t bytes,
                        enum shadow_kind kind, epoch before, enum shadow_kind before_kind)
{
    unsigned first = (unsigned)__builtin_ctz(bytes);
    struct detect_race race = {
        .addr = (addr & ~(uint64_t)(SHADOW_GRANULE - 1)) + first,
        .size = (unsigned)__builtin_ctz(~(bytes >> first)),
        .now = {who->thread, who->now, kind_writes(kind), kind_is_atomic(kind), 0},
        .before = {epoch_thread(before), before, kind_writes(before_kind),
                   kind_is_atomic(before_kind), 0},
    };

    if (!detector.given_up)
        detector.found(&race);
}

/* `part` lies wholly in the bytes accessed. */
static bool part_access(const struct shadow_who *who, uint64_t addr, struct shadow_part *part,
                        enum shadow_kind kind, bool quiet)
{
    const moments sets[] = {[SHADOW_READ] = part->reads,
                            [SHADOW_WRITE] = part->write,
                            [SHADOW_ATOMIC_READ] = part->atomic_reads,
                            [SHADOW_ATOMIC_WRITE] = part->atomic_writes};
    moments *const own[] = {[SHADOW_READ] = &part->reads,
                            [SHADOW_ATOMIC_READ] = &part->atomic_reads,
                            [SHADOW_ATOMIC_WRITE] = &part->atomic_writes};

    for (unsigned k = 0; k < sizeof sets / sizeof *sets; k++) {
        epoch other = conflicts[kind] & 1 << k ? moments_unordered(who, sets[k]) : 0;

        if (other && !quiet) {
            race_report(who, addr, part->bytes, kind, other, (enum shadow_kind)k);
            quiet = true;
        }
    }
    if (kind == SHADOW_WRITE)
        *part = (struct shadow_part){.bytes = part->bytes, .write = who->now};
    else
        moments_add(who, own[kind]);
    return quiet;
}

/* ---- granules whose bytes have different histories */

static struct shadow_wide *wide_of(const struct shadow_cell *cell)
{
    return &detector.shadow.wides[cell->write];
}

/* Those of `bytes`, if any, become a part with that history. */
static void wide_add(struct shadow_wide *wide, uint32_t bytes, epoch write, moments reads)
{
    if (bytes)
        wide->parts[wide->count++] =
            (struct shadow_part){.bytes = bytes, .write = write, .reads = reads};
}

static struct shadow_wide *make_wide(struct shadow_cell *cell)
{
    struct shadow *shadow = &detector.shadow;
    struct shadow_wide *wide;
    moments again = cell->reads; /* no two parts may have one vector */

    if (cell->generation == (detector.generation | SHADOW_WIDE))
        return wide_of(cell);
    if (shadow->wide_count == WIDE_MAX) {
        detector.given_up = "too many granules of memory whose bytes are used differently";
        shadow->wide_count = 0;
    }
    wide = &shadow->wides[shadow->wide_count];
    wide->count = 0;
    if (cell->generation == detector.generation) {
        uint32_t both = cell->written & cell->read;

        if (both && MOMENTS_IS_VECTOR(again))
            again = vector_copy(again, 0);
        wide_add(wide, cell->written & ~both, cell->write, 0);
        wide_add(wide, cell->read & ~both, 0, cell->reads);
        wide_add(wide, both, cell->write, again);
    }
    cell->write = shadow->wide_count++;
    cell->generation = detector.generation | SHADOW_WIDE;
    return wide;
}

/* What a part that is split off has in common with the rest, it must own. */
static void part_split(struct shadow_wide *wide, struct shadow_part *part, uint32_t bytes)
{
    struct shadow_part *other = &wide->parts[wide->count++];
    moments *const sets[] = {&other->reads, &other->atomic_writes, &other->atomic_reads};

    *other = *part;
    part->bytes &= bytes;
    other->bytes &= ~bytes;
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++)
        if (MOMENTS_IS_VECTOR(*sets[i]))
            *sets[i] = vector_copy(*sets[i], 0);
}

/* The thread has accessed those bytes before, since it last released anything, and in a way that this access adds nothing to. */
static bool wide_knows(const struct shadow_who *who, const struct shadow_wide *wide, uint32_t bytes,
                       enum shadow_kind kind)
{
    for (uint32_t i = 0; i < wide->count; i++) {
        const struct shadow_part *part = &wide->parts[i];

        if (bytes & ~part->bytes)
            continue;
        return !kind_is_atomic(kind) &&
               (part->write == who->now ||
                (kind == SHADOW_READ &&
                 moments_have(detector.shadow.vectors, part->reads, who->now)));
    }
    return false;
}

static bool wide_access(const struct shadow_who *who, struct shadow_wide *wide, uint64_t addr,
                        uint32_t bytes, enum shadow_kind kind, bool quiet)
{
    uint32_t left = bytes;

    for (uint32_t i = 0; i < wide->count && left; i++) {
        struct shadow_part *part = &wide->parts[i];

        if (!(part->bytes & left))
            continue;
        if (part->bytes & ~left)
            part_split(wide, part, left);
        left &= ~part->bytes;
        quiet = part_access(who, addr, part, kind, quiet);
    }
    if (!left)
        return quiet;
    wide->parts[wide->count] = (struct shadow_part){.bytes = left};
    return part_access(who, addr, &wide->parts[wide->count++], kind, quiet);
}

/* ---- the others */

/* Plain accesses whose bytes have all one write, and one set of reads, before and after. False, and nothing has changed, if that is not
 * so, or if there is a race. */
static bool simple_read(const struct shadow_who *who, struct shadow_cell *cell, uint32_t bytes)
{
    if (cell->written & bytes && !is_before(who, cell->write))
        return false;
    if (cell->read == 0 || cell->reads == who->now) {
        cell->reads = who->now;
        cell->read |= (uint8_t)bytes;
        return true;
    }
    if (cell->read != bytes)
        return false;
    moments_add(who, &cell->reads);
    return true;
}

static bool simple_write(const struct shadow_who *who, struct shadow_cell *cell, uint32_t bytes)
{
    if ((cell->written & bytes && !is_before(who, cell->write)) ||
        (cell->read & bytes && moments_unordered(who, cell->reads)))
        return false;
    if (cell->written & ~bytes && cell->write != who->now)
        return false;
    cell->write = who->now;
    cell->written |= (uint8_t)bytes;
    cell->read &= (uint8_t)~bytes;
    return true;
}

/* The first access in this execution. */
static void first_access(const struct shadow_who *who, struct shadow_cell *cell, uint32_t bytes,
                         enum shadow_kind kind)
{
    cell->generation = detector.generation;
    cell->write = cell->reads = who->now;
    cell->written = kind == SHADOW_WRITE ? (uint8_t)bytes : 0;
    cell->read = kind == SHADOW_READ ? (uint8_t)bytes : 0;
}

static bool is_stale(const struct shadow_cell *cell)
{
    return (cell->generation & ~SHADOW_WIDE) != detector.generation;
}

/* ---- blocks: nothing was told of an access to this memory in this execution, but it may have been allocated in it */

static epoch born_of(const struct shadow_who *who, uint64_t addr)
{
    return who->blocks ? detector.blocks.born(addr) : 0;
}

static void cell_born(struct shadow_cell *cell, epoch born)
{
    cell->generation = detector.generation;
    cell->write = born;
    cell->written = SHADOW_ALL_BYTES;
    cell->reads = 0;
    cell->read = 0;
}

/* ---- groups */

/* From now on its cells have their own histories, for the rest of the execution. */
static void group_open(uint64_t addr)
{
    struct shadow_cell *group = shadow_group(addr);
    struct shadow_cell *cells = shadow_known(detector.chunks, addr & ~(uint64_t)(SHADOW_GROUP - 1));

    if (group->generation == (detector.generation | SHADOW_WIDE))
        return;
    for (size_t i = 0; i < SHADOW_GROUP_CELLS && !is_stale(group); i++) {
        uint8_t exposed = cells[i].exposed;

        cells[i] = *group;
        cells[i].exposed = exposed;
    }
    group->generation = detector.generation | SHADOW_WIDE;
}

/* A plain access to all of a group. False, and nothing has changed, if that is one for its cells: they have their own histories, or
 * would have to be told apart, or there is a race. */
static bool group_access(const struct shadow_who *who, uint64_t addr, enum shadow_kind kind)
{
    struct shadow_cell *group;

    if (kind_is_atomic(kind) || !shadow_cell(addr))
        return false;
    group = shadow_group(addr);
    if (group->exposed)
        return false;
    if (is_stale(group)) {
        epoch born = born_of(who, addr);

        if (born != born_of(who, addr + SHADOW_GROUP - 1))
            return false;
        if (!born) {
            first_access(who, group, SHADOW_ALL_BYTES, kind);
            return true;
        }
        cell_born(group, born);
    }
    if (group->generation != detector.generation)
        return false;
    if (kind == SHADOW_WRITE)
        return simple_write(who, group, SHADOW_ALL_BYTES);
    /* no two cells may have one vector */
    return (!group->read || is_before(who, group->reads)) &&
           simple_read(who, group, SHADOW_ALL_BYTES);
}

/* ---- any access */

static bool granule_access(const struct shadow_who *who, uint64_t addr, unsigned size,
                           enum shadow_kind kind, bool quiet)
{
    struct shadow_cell *cell = shadow_cell(addr);
    uint32_t bytes = shadow_bytes(addr, size);

    if (!cell)
        return quiet;
    group_open(addr);
    if (who->blocks && is_stale(cell)) {
        epoch born = born_of(who, addr);

        if (born)
            cell_born(cell, born);
    }
    if (!kind_is_atomic(kind) && !cell->exposed) {
        if (is_stale(cell)) {
            first_access(who, cell, bytes, kind);
            return quiet;
        }
        if (cell->generation == detector.generation &&
            (kind == SHADOW_READ ? simple_read : simple_write)(who, cell, bytes))
            return quiet;
    }
    if (cell->generation == (detector.generation | SHADOW_WIDE) &&
        wide_knows(who, wide_of(cell), bytes, kind))
        return quiet;
    return wide_access(who, make_wide(cell), addr, bytes, kind, quiet);
}

/* A plain write to granules of which nobody else has been told since the thread itself wrote them, or nobody at all: what granule_access would do, for as many
 * in a row as there are up to the end of the group. Most of what is freed, or handed out again, is like that. 0: not even one. */
static size_t own_write(const struct shadow_who *who, uint64_t addr, size_t size)
{
    size_t end = SHADOW_GROUP - (addr & (SHADOW_GROUP - 1)), done = 0;
    struct shadow_cell *cell = addr & (SHADOW_GRANULE - 1) ? NULL : shadow_cell(addr);

    if (!cell || shadow_group(addr)->generation != (detector.generation | SHADOW_WIDE))
        return 0;
    if (end > size)
        end = size & ~(size_t)(SHADOW_GRANULE - 1);
    for (; done < end; done += SHADOW_GRANULE, cell++) {
        bool own = is_stale(cell)
                       ? !who->blocks
                       : cell->generation == detector.generation &&
                             (!cell->written || epoch_thread(cell->write) == who->thread) &&
                             (!cell->read || epoch_thread(cell->reads) == who->thread);

        if (!own || cell->exposed)
            break;
        first_access(who, cell, SHADOW_ALL_BYTES, SHADOW_WRITE);
    }
    return done;
}

void shadow_access(const struct shadow_who *who, uint64_t addr, size_t size, enum shadow_kind kind)
{
    bool quiet = false; /* one race of one access is enough */

    while (size > 0) {
        size_t here = SHADOW_GRANULE - (addr & (SHADOW_GRANULE - 1)), own;

        if (here > size)
            here = size;
        if (size >= SHADOW_GROUP && addr % SHADOW_GROUP == 0 && group_access(who, addr, kind))
            here = SHADOW_GROUP;
        else if (size > 8 && kind == SHADOW_WRITE && (own = own_write(who, addr, size)) > 0)
            here = own;
        else
            quiet = granule_access(who, addr, (unsigned)here, kind, quiet);
        addr += here;
        size -= here;
    }
}

/* ---- accesses to come */

#define BATCH 8 /* cells that are compared at once */

/* Of so many cells, how many at least say the same as the first one: that one, and as many whole batches. A batch has no branches, so the
 * compiler takes sixteen bytes at a time. */
static size_t cells_alike(const struct shadow_cell *first, size_t count)
{
    const uint64_t says = ~((uint64_t)0xffff << 48); /* of its second half: not `exposed` */
    uint64_t a[2], b[2 * BATCH];
    size_t alike = 1;

    memcpy(a, first, sizeof a);
    for (; alike + BATCH <= count; alike += BATCH) {
        uint64_t low = 0, high = 0;

        memcpy(b, first + alike, sizeof b);
        for (unsigned i = 0; i < BATCH; i++) {
            low |= b[2 * i] ^ a[0];
            high |= b[2 * i + 1] ^ a[1];
        }
        if (low | (high & says))
            break;
    }
    return alike;
}

/* From `addr` on to the end of the group or of the access, whichever comes first. Most often one cell is like the other; where they are not,
 * that is tried again only after a while. */
static bool group_knows(const struct shadow_cell *cell, uint64_t addr, uint64_t end, bool writes)
{
    unsigned wait = 0;

    while (addr < end) {
        uint64_t next = (addr | (SHADOW_GRANULE - 1)) + 1;
        unsigned bytes = (unsigned)((next < end ? next : end) - addr);
        size_t alike = 1;

        if (!detect_cell_known(cell, shadow_bytes(addr, bytes), writes))
            return false;
        if (wait > 0)
            wait--;
        else if (bytes == SHADOW_GRANULE &&
                 (alike = cells_alike(cell, (end - addr) / SHADOW_GRANULE)) == 1)
            wait = BATCH;
        cell += alike;
        addr = next + (alike - 1) * SHADOW_GRANULE;
    }
    return true;
}

bool shadow_knows(const struct shadow_who *who, uint64_t addr, size_t size, enum shadow_kind kind)
{
    uint64_t end = addr + size;
    bool writes = kind == SHADOW_WRITE;

    (void)who; /* the thread that runs */
    while (addr < end) {
        const struct shadow_cell *cell = shadow_known(detector.chunks, addr), *group;
        uint64_t next = (addr | (SHADOW_GROUP - 1)) + 1;

        if (!cell)
            return false;
        group = shadow_group(addr);
        if (group->generation == detector.generation
                ? !detect_cell_known(group, SHADOW_ALL_BYTES, writes)
                : !group_knows(cell, addr, next < end ? next : end, writes))
            return false;
        addr = next;
    }
    return true;
}

/* Those of one chunk. */
static bool cells_know(const struct shadow_cell *cell, size_t step, uint64_t count, uint32_t bytes,
                       bool writes)
{
    for (; count > 0; count--, cell += step)
        if (!detect_cell_known(cell, bytes, writes))
            return false;
    return true;
}

bool shadow_knows_each(uint64_t addr, uint64_t stride, uint64_t count, unsigned size, bool writes)
{
    const uint64_t chunk = (uint64_t)1 << SHADOW_CHUNK_SHIFT;

    /* so that all have the same bytes, of one granule */
    if (stride % SHADOW_GRANULE || (addr & (SHADOW_GRANULE - 1)) + size > SHADOW_GRANULE)
        return false;
    while (count > 0) {
        const struct shadow_cell *cell = shadow_known(detector.chunks, addr);
        uint64_t here = (chunk - (addr & (chunk - 1)) + stride - 1) / stride;

        if (here > count)
            here = count;
        if (!cell ||
            !cells_know(cell, stride / SHADOW_GRANULE, here, shadow_bytes(addr, size), writes))
            return false;
        addr += here * stride;
        count -= here;
    }
    return true;
}

static bool sets_are_ordered(const struct shadow_who *who, const struct shadow_part *part,
                             enum shadow_kind kind)
{
    const moments sets[] = {[SHADOW_READ] = part->reads,
                            [SHADOW_WRITE] = part->write,
                            [SHADOW_ATOMIC_READ] = part->atomic_reads,
                            [SHADOW_ATOMIC_WRITE] = part->atomic_writes};

    for (unsigned k = 0; k < sizeof sets / sizeof *sets; k++)
        if (conflicts[kind] & 1 << k && moments_unordered(who, sets[k]))
            return false;
    return true;
}

static bool cell_is_ordered(const struct shadow_who *who, const struct shadow_cell *cell,
                            uint32_t bytes, enum shadow_kind kind)
{
    struct shadow_part simple = {.bytes = bytes};
    const struct shadow_wide *wide;

    if (cell->generation == detector.generation) {
        simple.write = cell->written & bytes ? cell->write : 0;
        simple.reads = cell->read & bytes ? cell->reads : 0;
        return sets_are_ordered(who, &simple, kind);
    }
    wide = wide_of(cell);
    for (uint32_t i = 0; i < wide->count; i++)
        if (wide->parts[i].bytes & bytes && !sets_are_ordered(who, &wide->parts[i], kind))
            return false;
    return true;
}

/* What its cells would say if all were asked; if all are older than the execution, the allocation of the block. */
static bool stale_is_ordered(const struct shadow_who *who, uint64_t addr, enum shadow_kind kind)
{
    struct shadow_part part = {.write = born_of(who, addr)};

    return sets_are_ordered(who, &part, kind);
}

/* How far from `addr` one answer holds: to the end of the chunk, of the group or of the granule. Of a group that nobody has accessed, only if one
 * block, or none, is all that is there. */
static uint64_t same_history(const struct shadow_who *who, uint64_t addr)
{
    const struct shadow_cell *cell = shadow_known(detector.chunks, addr), *group;
    uint64_t reach = SHADOW_GRANULE, last = addr | (SHADOW_GROUP - 1);

    if (!cell && !who->blocks)
        return (addr | (((uint64_t)1 << SHADOW_CHUNK_SHIFT) - 1)) + 1;
    group = cell ? shadow_group(addr) : NULL;
    if (group && group->generation == detector.generation)
        reach = SHADOW_GROUP;
    else if ((!group || is_stale(group)) && born_of(who, addr) == born_of(who, last))
        reach = SHADOW_GROUP;
    return (addr | (reach - 1)) + 1;
}

bool shadow_is_ordered(const struct shadow_who *who, uint64_t addr, size_t size,
                       enum shadow_kind kind)
{
    uint64_t end = addr + size, next;

    for (; addr < end; addr = next) {
        const struct shadow_cell *cell = shadow_known(detector.chunks, addr);
        uint32_t bytes = SHADOW_ALL_BYTES;

        next = same_history(who, addr);
        if (next > end)
            next = end;
        if (next - addr < SHADOW_GRANULE)
            bytes = shadow_bytes(addr, (unsigned)(next - addr));
        if (cell && shadow_group(addr)->generation == detector.generation)
            cell = shadow_group(addr);
        if (cell && !is_stale(cell) ? !cell_is_ordered(who, cell, bytes, kind)
                                    : !stale_is_ordered(who, addr, kind))
            return false;
    }
    return true;
}
