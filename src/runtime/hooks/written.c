#include "runtime/hooks/written.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "model/buffer.h"
#include "model/sum.h"
#include "runtime/core/heap.h"
#include "runtime/hooks/plain.h"

#define PAGE       ((uintptr_t)4096)
#define PAGE_WORDS (PAGE / sizeof(uint64_t))
#define PAGES_MAX  ((uint32_t)1 << 16) /* that one transition may write to */
#define RESERVE    ((size_t)4 * PAGES_MAX * sizeof(struct page))
#define SLOTS      ((uint32_t)1 << 18) /* a power of two, more than PAGES_MAX */

/* A page that the transition has written to. */
struct page {
    uintptr_t base;
    uint64_t kept[PAGE_WORDS / 64]; /* words of which `old` says what was there, a bit each */
    uint64_t old[PAGE_WORDS];
};

struct written written;

static struct {
    struct page *pages; /* memory is taken only when touched */
    uint32_t *slots;    /* by address of the page: 1 + its index; only those in use are not 0 */
    uint32_t count;
} pages; /* outlives a run: empty between two transitions */

static uint32_t *slot_of(uintptr_t base)
{
    uint32_t i = (uint32_t)mix64(base) & (SLOTS - 1);

    while (pages.slots[i] && pages.pages[pages.slots[i] - 1].base != base)
        i = (i + 1) & (SLOTS - 1);
    return &pages.slots[i];
}

static void open_pages(void)
{
    struct arena arena;

    if (!native_compares())
        return;
    CHECK(arena_open(&arena, RESERVE) == 0, "no address space for what is written");
    pages.slots = arena_alloc(&arena, SLOTS * sizeof *pages.slots);
    pages.pages = arena_alloc(&arena, PAGES_MAX * sizeof *pages.pages);
}

/* NULL: there are too many. */
static struct page *page_at(uintptr_t base)
{
    uint32_t *slot;
    struct page *page;

    slot = slot_of(base);
    if (*slot)
        return &pages.pages[*slot - 1];
    if (pages.count == PAGES_MAX) {
        written.lost = true;
        return NULL;
    }
    page = &pages.pages[pages.count++];
    page->base = base;
    memset(page->kept, 0, sizeof page->kept);
    *slot = pages.count;
    return page;
}

/* Words [first, end) of a page, as they are. */
static void page_keep(struct page *page, uint32_t first, uint32_t end)
{
    const uint64_t *words = (const uint64_t *)page->base;

    while (first < end) {
        uint32_t n = 64 - first % 64 < end - first ? 64 - first % 64 : end - first;
        uint64_t bits = (n == 64 ? ~(uint64_t)0 : (((uint64_t)1 << n) - 1)) << first % 64;
        uint64_t *kept = &page->kept[first / 64];

        if (!(*kept & bits))
            memcpy(&page->old[first], &words[first], n * sizeof *words);
        else
            for (uint32_t i = first; i < first + n; i++)
                if (!(*kept >> i % 64 & 1))
                    page->old[i] = words[i];
        *kept |= bits;
        first += n;
    }
}

static void range_keep(uintptr_t at, uintptr_t end)
{
    while (at < end) {
        uintptr_t base = at & ~(PAGE - 1);
        uintptr_t stop = end - base < PAGE ? end : base + PAGE;
        struct page *page = page_at(base);

        if (!page)
            return;
        page_keep(page, (uint32_t)((at - base) / 8), (uint32_t)((stop - base + 7) / 8));
        at = stop;
    }
}

/* What belongs to the local state of a thread. */
static bool is_local(const void *at)
{
    uint32_t owner;

    return native_owner(at, &owner) == STACK_INSIDE;
}

void written_note_slow(const void *at, size_t size)
{
    struct native_thread *thread = native.current;
    bool shown;

    if (!thread || size == 0 || is_local(at))
        return;
    shown = world_is_buffered(native.world) && native.world->threads.at[thread->agent].waiting > 0;
    if (shown)
        buffer_hide(native.world, thread->agent);
    range_keep((uintptr_t)at, (uintptr_t)at + size);
    if (shown)
        buffer_show(native.world, thread->agent);
}

/* ---- calls */

#define ROOMS_MAX 8 /* more than any function of the table has */

/* Of each thread. */
struct written_thread {
    struct {
        const void *at;
        size_t size;
    } rooms[ROOMS_MAX];
    uint32_t count;
};

static struct written_thread *written_of(const struct native_thread *thread)
{
    return thread->own[PART_WRITTEN];
}

static void room_note(const void *at, size_t size)
{
    uintptr_t begin = (uintptr_t)at & ~(PAGE - 1), end = begin;
    unsigned char in_core;

    while (end < (uintptr_t)at + size && syscall(SYS_mincore, end, PAGE, &in_core) == 0)
        end += PAGE;
    if (end > begin)
        written_note(at, end - (uintptr_t)at < size ? end - (uintptr_t)at : size);
}

void written_room(const void *at, size_t size)
{
    struct written_thread *own = native.current ? written_of(native.current) : NULL;

    if (!own || size == 0 || is_local(at))
        return;
    CHECK(own->count < ROOMS_MAX, "a function writes to more places than any");
    own->rooms[own->count].at = at;
    own->rooms[own->count++].size = size;
    if (written.on)
        room_note(at, size);
}

void written_rooms_end(void)
{
    if (native.current)
        written_of(native.current)->count = 0;
}

/* ---- what came of it */

static void page_settle(struct page *page)
{
    const uint64_t *words = (const uint64_t *)page->base;

    for (uint32_t i = 0; i < PAGE_WORDS / 64; i++)
        for (uint64_t kept = page->kept[i]; kept; kept &= kept - 1) {
            uint32_t word = i * 64 + (uint32_t)__builtin_ctzll(kept);

            if (words[word] != page->old[word])
                sum_memory(native.world, (uint64_t)(uintptr_t)&words[word], page->old[word],
                           words[word]);
        }
}

void written_begin(void)
{
    const struct written_thread *own;

    /* what the first thread did while it was the only one is as in every run */
    written.on = native.world->sums && !plain.unmapped && native.phase > 0;
    if (!written.on)
        return;
    own = written_of(native.current);
    for (uint32_t i = 0; i < own->count; i++)
        room_note(own->rooms[i].at, own->rooms[i].size);
}

void written_drop(void)
{
    while (pages.count > 0) /* the last one first: others may be found behind earlier ones only */
        *slot_of(pages.pages[--pages.count].base) = 0;
    written.on = false;
}

void written_settle(void)
{
    if (!written.on)
        return;
    for (uint32_t i = 0; i < pages.count; i++)
        page_settle(&pages.pages[i]);
    written_drop();
}

/* ---- blocks: a live one counts at an address where no word of memory is */

static void block_change(const void *block, uint64_t before, uint64_t after)
{
    sum_memory(native.world, (uint64_t)(uintptr_t)block | 1, before, after);
}

/* A new block was all zeros. */
static void block_fill(const void *block, size_t size)
{
    for (uintptr_t at = (uintptr_t)block; at < (uintptr_t)block + size; at += 8) {
        struct page *page = page_at(at & ~(PAGE - 1));

        if (!page)
            return;
        page->kept[at % PAGE / 512] |= (uint64_t)1 << at % PAGE / 8 % 64;
        page->old[at % PAGE / 8] = 0;
    }
}

void written_block_begins(const void *block, size_t size, size_t filled)
{
    if (!written.on || !native.current || !block)
        return;
    block_change(block, 0, size + 1);
    block_fill(block, filled);
}

void written_block_filled(const void *block)
{
    if (written.on && native.current && block)
        block_fill(block, heap_usable(block));
}

/* What the sum has of a word. */
static uint64_t word_before(uintptr_t at)
{
    const struct page *page;
    uint32_t slot = pages.count ? *slot_of(at & ~(PAGE - 1)) : 0;
    uint64_t word;

    if (slot) {
        page = &pages.pages[slot - 1];
        if (page->kept[at % PAGE / 512] >> at % PAGE / 8 % 64 & 1)
            return page->old[at % PAGE / 8];
    }
    memcpy(&word, (const void *)at, sizeof word);
    return word;
}

static void word_forget(uintptr_t at)
{
    uint32_t slot = pages.count ? *slot_of(at & ~(PAGE - 1)) : 0;

    if (slot)
        pages.pages[slot - 1].kept[at % PAGE / 512] &= ~((uint64_t)1 << at % PAGE / 8 % 64);
}

void written_block_ends(const void *block, size_t size)
{
    const struct native_thread *thread = native.current;

    if (!written.on || !thread)
        return;
    block_change(block, size + 1, 0);
    /* then what is in memory is not what the sum has, and the rest of it may come yet */
    if (world_is_buffered(native.world) && native.world->threads.at[thread->agent].waiting > 0)
        return;
    for (uintptr_t at = (uintptr_t)block; at < (uintptr_t)block + size; at += 8) {
        uint64_t before = word_before(at);

        if (before)
            sum_memory(native.world, at, before, 0);
        word_forget(at);
    }
}

/* ---- the part */

static void thread_begins(struct native_thread *thread)
{
    written_of(thread)->count = 0;
}

const struct part written_part = {.name = "writes",
                                  .state = &written,
                                  .size = sizeof written,
                                  .thread_size = sizeof(struct written_thread),
                                  .open = open_pages,
                                  .thread_begins = thread_begins,
                                  .stateless = true};
