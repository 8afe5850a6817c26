#include "runtime/hooks/plain.h"

#include <errno.h>

#include "base/fingerprint.h"
#include "runtime/hooks/races.h"
#include "runtime/hooks/written.h"
#include "runtime/program/memory_bug.h"
#include "runtime/program/rounds.h"
#include "runtime/program/spin.h"

/* Bytes of a block that one step may write. */
#define FREE_VISIBLE ((size_t)64 << 10)

_Static_assert(HOOK_GRANULE == SHADOW_GRANULE && HOOK_CHUNK_SHIFT == SHADOW_CHUNK_SHIFT &&
                   HOOK_CELL == sizeof(struct shadow_cell) &&
                   offsetof(struct shadow_cell, generation) == 0 &&
                   offsetof(struct shadow_cell, write) == 4 &&
                   HOOK_CELL_READS == offsetof(struct shadow_cell, reads) &&
                   HOOK_CELL_WRITTEN == offsetof(struct shadow_cell, written) &&
                   HOOK_CELL_READ == offsetof(struct shadow_cell, read) &&
                   HOOK_CLOCK_BITS == EPOCH_CLOCK_BITS &&
                   HOOK_VECTORS == EPOCH_THREAD_MAX << EPOCH_CLOCK_BITS &&
                   HOOK_VECTOR_UNIT == MOMENTS_UNIT,
               "code looks at cells by itself");

static const char *const no_chunks[1];

INTERPOSE struct raddle_quick __raddle_quick = {
    .chunks = no_chunks}; /* outlives a run: quick_decide sets it when one begins */

struct plain plain;

void (*plain_stored)(const struct op *op); /* outlives a run: set by a replay for good */

/* Of each thread. */
struct plain_thread {
    uint32_t window; /* plain loads that are still to be made visible */
    struct {
        uintptr_t low, high;
    } visited
        [2]; /* where others have used its stack in this execution, and its thread-local memory */
};

static struct plain_thread *plain_of(const struct native_thread *thread)
{
    return thread->own[PART_PLAIN];
}

/* Whether anything is left out, and whether code may do so by itself. */
static void quick_decide(void)
{
    plain.quick = native.detects && !plain.watched && !plain.spent;
    if (plain.quick && !plain.unmapped) {
        __raddle_quick.chunks = (const char *const *)detector.chunks;
        __raddle_quick.mask = SHADOW_CHUNKS - 1;
        __raddle_quick.vectors = detector.shadow.vectors;
    } else {
        __raddle_quick.chunks = no_chunks;
        __raddle_quick.mask = 0;
    }
}

void plain_watch(bool watched)
{
    plain.watched = watched;
    quick_decide();
}

void plain_unmapped(void)
{
    plain.unmapped = true;
    written_drop(); /* nobody may look there any more */
    quick_decide();
}

static void restart(void)
{
    plain.unmapped = plain.spanned = false;
    __raddle_quick.wrote = 0;
    quick_decide();
}

INTERPOSE HOOK_SPARING void __raddle_spent(void)
{
    __raddle_quick.left = PLAIN_BUDGET;
    if (native.alone || !native.current || !native.detects)
        return;
    plain.spent = true;
    quick_decide();
}

void plain_begin(const struct native_thread *thread)
{
    bool spent = plain_of(thread)->window != 0;

    __raddle_quick.left = PLAIN_BUDGET;
    plain.looks = 0;
    plain.spanned = false;
    if (plain.spent == spent)
        return; /* all else that decides has said so when it changed */
    plain.spent = spent;
    quick_decide();
}

static void stack_visit(const struct native_thread *thread, uintptr_t at)
{
    struct plain_thread *own = plain_of(thread);
    size_t part = at - (uintptr_t)thread->stack.low >= thread->stack.size - tls.room;

    if (own->visited[part].low == own->visited[part].high || at < own->visited[part].low)
        own->visited[part].low = at;
    if (at >= own->visited[part].high)
        own->visited[part].high = at + 1;
}

void plain_foreign_stack(const void *p)
{
    uint32_t owner;

    if (native_owner(p, &owner) != STACK_INSIDE || owner == native.current->number)
        return;
    /* judged only when the owner's own accesses are seen, too: there may be a race to tell of */
    if (native.threads.at[owner]->stack_shared && native_has_ended(owner))
        memory_bug_stack(owner);
    stack_visit(native.threads.at[owner], (uintptr_t)p);
    native_share_stack(owner);
}

/* Whether the present load is to be a visible one. Deterministic: it depends on nothing but what the thread did. */
static bool window_open(void)
{
    struct plain_thread *own;

    if (!plain.spent)
        return false;
    own = plain_of(native.current);
    if (own->window == 0) {
        own->window = PLAIN_WINDOW;
        spin_of(native.current)->site = NULL;
    }
    if (--own->window > 0)
        return true;
    __raddle_quick.left = PLAIN_BUDGET;
    plain.spent = false;
    quick_decide();
    return false;
}

/* Less than 0, most likely: whoever accesses so much will fault. */
static bool is_absurd(size_t size)
{
    return size >> SHADOW_ADDRESS_BITS != 0;
}

/* Wild pointers must fault here, as an access of the program, and not in the detector. */
bool plain_read_slow(const void *p, size_t size)
{
    uint64_t addr = (uint64_t)(uintptr_t)p;

    if (is_absurd(size))
        return true;
    if (native.current->sections)
        return false;
    if (spans_told(addr, size, false)) {
        detect_span_seen(addr, size, false);
        return true;
    }
    detect_settle();
    (void)*(volatile const char *)p;
    if (size > 8)
        (void)((volatile const char *)p)[size - 1];   /* nor go through a terabyte before that */
    if (size > 8 || !detect_known(addr, size, false)) /* watched, all come here */
        rounds_plain_read();
    detect_read_range(addr, size);
    plain_foreign_stack(p);
    return !window_open() && !detect_is_exposed(addr, size);
}

bool plain_write_slow(void *p, size_t size)
{
    uint64_t addr = (uint64_t)(uintptr_t)p;
    volatile char *byte = p;

    spin_wrote(); /* a loop that stores does not just wait */
    if (is_absurd(size))
        return true;
    if (native.current->sections)
        return false;
    if (spans_told(addr, size, true)) {
        detect_span_seen(addr, size, true);
        return true;
    }
    *byte = *byte;
    if (size > 8)
        byte[size - 1] = byte[size - 1];
    rounds_plain_write(addr, size);
    detect_write_range(addr, size);
    plain_foreign_stack(p);
    written_note(p, size);
    return !detect_is_exposed(addr, size);
}

/* ---- functions that access memory by means of their own */

/* Stores leave what is there: the caller is about to write. */
static void range_visible(const struct native_range *range)
{
    const struct raddle_site *site = native_site();
    char *at = (char *)(uintptr_t)range->at, *end = at + range->size;

    while (at < end) {
        unsigned size = (uintptr_t)at % 8 == 0 && end - at >= 8 ? 8 : 1;
        uint64_t word;

        if (size == 8) {
            word = __raddle_load8(at, HOOK_PLAIN, site);
            if (range->writes)
                __raddle_store8(at, word, HOOK_PLAIN, site);
        } else {
            word = __raddle_load1(at, HOOK_PLAIN, site);
            if (range->writes)
                __raddle_store1(at, (uint8_t)word, HOOK_PLAIN, site);
        }
        at += size;
    }
}

static bool range_checked(const struct native_range *range)
{
    plain_count();
    return range->writes ? plain_write_slow((void *)(uintptr_t)range->at, range->size)
                         : plain_read_slow(range->at, range->size);
}

/* All that comes of it is the caller's to write, right behind this. */
static void ranges_note(const struct native_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ranges[i].writes && !is_absurd(ranges[i].size)) {
            rounds_scribble();
            written_note(ranges[i].at, ranges[i].size);
        }
}

void native_touches(const struct native_range *ranges, size_t count)
{
    int error = errno;
    bool visible = false, inside = native.current && native.current->sections;
    struct op begin = native_op(OP_SECTION_BEGIN, NULL), end = native_op(OP_SECTION_END, NULL);

    for (size_t i = 0; i < count; i++)
        memory_check(ranges[i].at, ranges[i].size, ranges[i].writes);
    for (size_t i = 0; i < count; i++)
        if (ranges[i].size && !native_direct(ranges[i].at))
            visible |= !native.detects || !range_checked(&ranges[i]);
    if (!visible) {
        ranges_note(ranges, count);
        return;
    }
    if (!inside) {
        native.current->sections++;
        plain.touching = true;
        native_ask(&begin);
    }
    for (size_t i = 0; i < count; i++)
        if (!native_direct(ranges[i].at))
            range_visible(&ranges[i]);
    if (!inside) {
        native.current->sections--;
        plain.touching = false;
        native_ask(&end);
    }
    ranges_note(ranges, count);
    errno = error;
}

/* The stack of the running thread ends with it: whoever has used that must have done so before. */
static void thread_ends(void)
{
    const struct plain_thread *own = plain_of(native.current);

    for (size_t part = 0; native.detects && part < 2; part++)
        if (own->visited[part].low < own->visited[part].high) {
            uintptr_t low = own->visited[part].low;

            rounds_plain_write(low, own->visited[part].high - low);
            detect_write_range(low, own->visited[part].high - low);
        }
}

/* Without the detector it is a step that writes all of the block, so that others' accesses come before and after it. */
static void free_visible(void *block, size_t size)
{
    if (size <= FREE_VISIBLE)
        native_writes(block, size);
    else
        native_unsupported("free of a block of more than 64 KiB, with --races=ignore");
}

void plain_free(void *block, size_t size)
{
    if (!native.detects && native.current && size && !native_direct(block))
        free_visible(block, size);
    if (!native.detects || size == 0 || native_direct(block) || native.current->sections)
        return;
    rounds_plain_write((uint64_t)(uintptr_t)block, size);
    races_note_call("free");
    detect_free_range((uint64_t)(uintptr_t)block, size);
    races_note_call(NULL);
    detect_tick(); /* else the next access would pass as known */
}

/* ---- memory that is handed out again (heap.h)
 *
 * Where a thread's next block is must follow from what that thread did and comes after, as the search does not see that allocations depend on anything else. So it
 * gets again what it freed itself, and what others freed if the free happens before the allocation: that is so in all runs that the search takes for the same
 * one, since what synchronises are steps that it sees. And nothing may be left of what was there:
 *
 *   accesses  come before the free, or race with it, which is told; plain_again makes the allocation a write behind them. So with --races=ignore,
 *             where nobody looks for that, nothing is handed out again; nor in an atomic section, nor bytes whose accesses are steps
 *   stores    under TSO and PSO, of the thread itself, may still wait in its buffer: until it has done something for which that must be empty, as the
 *             time of a flush is not its own. Those of others are in memory, as what orders them before the free comes behind them; and so are all if another thread
 *             frees the block, as what orders that before the allocation comes behind its stores
 *   locks, …  heap_note_object */

static const struct thread *running_thread(void)
{
    return &native.world->threads.at[native.current->agent];
}

/* Time is how many stores it had issued. */
static int64_t reuse_ready(void)
{
    if (!native.current || native.current->sections)
        return -1;
    return world_is_buffered(native.world) ? running_thread()->drained : UINT32_MAX;
}

void plain_retire(const void *block)
{
    const struct heap_block *old = heap_find(block);
    uint32_t stores;

    if (!old || !native.current || !native.detects || native.current->sections ||
        detect_is_exposed((uint64_t)(uintptr_t)block, old->room * HEAP_ROOM_UNIT))
        return;
    if (old->free_thread != old->thread) {
        heap_return(block, epoch_clock(detect_now()));
        return;
    }
    stores = world_is_buffered(native.world) ? running_thread()->stores : 0;
    /* then the sum of the state still has what was in the block (written_block_ends) */
    if (stores > 0 && native_compares() && stores > running_thread()->drained)
        return;
    heap_retire(block, stores);
}

/* Whoever used the old block did so before it was freed, which happens before this, or there was a race. So to write all of the new one says all that there
 * is to say of either. Alone, nobody is there to race with. */
void plain_again(void *block, size_t size)
{
    native.session->hands_out_again = true;
    if (!native.detects || size == 0 || native_direct(block))
        return;
    rounds_plain_write((uint64_t)(uintptr_t)block, size);
    races_note_call("allocation");
    detect_write_range((uint64_t)(uintptr_t)block, size);
    races_note_call(NULL);
}

static void open_reuse(void)
{
    if (native.detects)
        heap_reuse(reuse_ready, detect_knows);
}

/* ---- the part */

static void thread_begins(struct native_thread *thread)
{
    *plain_of(thread) = (struct plain_thread){0};
}

/* From then on nothing is known of what is written. */
static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return !plain.unmapped;
}

static bool fingerprint_thread(const struct native_thread *thread, struct fingerprint *into)
{
    if (plain_of(thread)->window)
        fingerprint_word(into, plain_of(thread)->window);
    return true;
}

const struct part plain_part = {.name = "plain accesses",
                                .state = &plain,
                                .size = sizeof plain,
                                .thread_size = sizeof(struct plain_thread),
                                .open = open_reuse,
                                .restart = restart,
                                .thread_begins = thread_begins,
                                .thread_ends = thread_ends,
                                .fingerprint = fingerprint,
                                .fingerprint_thread = fingerprint_thread};
