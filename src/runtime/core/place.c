#include "runtime/core/place.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "base/check.h"
#include "base/map.h"
#include "runtime/core/kernel.h"
#include "runtime/core/place_maps.h"
#include "runtime/core/tls.h"
#include "runtime/core/tracker.h"

#define PAGE TRACKER_PAGE

/* Pages that may be known, and places in the table that finds them. */
#define PAGES_MAX ((uint32_t)1 << 19)
#define HASH_SIZE (2 * PAGES_MAX)

/* Copies that there may be, and as a part of the machine's memory. */
#define COPIES_MAX  ((uint32_t)1 << 19)
#define MEMORY_PART 4

/* Pages that are not protected are compared at each look. To find out that a protected one was written costs a fault, about as much as comparing five, and then all of
 * memory has to be searched for those. So a page is protected again when it was the same so often in a row, and twice that each time that it was written after all. A few
 * are never worth it. */
#define OPEN_FEW     128
#define CALM         4
#define RELAPSES_MAX 6

#define ARGUMENTS_MAX ((size_t)256 << 10)

/* Up to here it is worth to clear pages by hand. */
#define CLEARED_MAX ((size_t)16 << 20)

/* Addresses for all that; memory is taken only where it is written. */
#define RESERVE ((size_t)4 << 30)

#define ZEROS 0u         /* the copy that needs no memory */
#define NONE  UINT32_MAX /* of indices */

/* A page that was there at some time. */
struct page {
    uintptr_t at;
    uint32_t current; /* the copy that it is like, unless it has been written since */
    uint32_t origin;  /* what it was like in all moments that have no row for it */
    uint32_t row;     /* in moments, from when it first changed; or NONE */
    uint16_t calm;    /* how often it was the same, lately */
    uint8_t relapses; /* how often it was written after it had been protected for that */
    bool calmed;      /* it was protected for that */
    bool open;        /* it is not protected, and in place.opened */
};

struct moment {
    uint32_t generation; /* as in struct place; 0: there is none */
    uint32_t count;
    uint32_t *copies; /* by row */
    char *arguments;
};

/* All that is known. It lies in memory that stays. */
struct place {
    uintptr_t own_low, own_high;     /* this, and all that it points to */
    uintptr_t arguments, stack_high; /* on the stack of the engine, the program's */
    uint32_t generation;             /* one more when what was kept is lost */
    uint64_t mappings;               /* as kernel_mappings says */
    bool full;                       /* a table was, and all that is known may be wrong */
    struct page *pages;
    uint32_t page_count;
    uint32_t *hash; /* 1 + index into pages, or 0 */
    uint32_t *rows; /* index into pages */
    uint32_t row_count;
    uint32_t *
        opened; /* index into pages: all that may have been written since they were last looked at */
    uint32_t opened_count;
    uint64_t
        faults; /* of the process, at the end of the last look: if there were none since, no other page was written */
    struct place_ranges watched;
    char *copies;
    uint32_t *uses; /* of each copy */
    uint32_t *free; /* copies that have been used, and are not */
    uint32_t free_count, copy_count, copy_max;
    struct moment moments[PLACE_SLOTS];
    size_t own_used; /* bytes */
};

static struct place *place; /* outlives a run: set once */

/* ---- copies */

static char *copy_at(uint32_t copy)
{
    return place->copies + (size_t)copy * PAGE;
}

static uint32_t copy_use(uint32_t copy)
{
    if (copy != ZEROS)
        place->uses[copy]++;
    return copy;
}

static void copy_leave(uint32_t copy)
{
    if (copy != ZEROS && --place->uses[copy] == 0)
        place->free[place->free_count++] = copy;
}

static bool page_is_zero(const char *page)
{
    const uint64_t *words = (const uint64_t *)page;
    uint64_t any = 0;

    for (size_t i = 0; i < PAGE / 8; i++)
        any |= words[i];
    return any == 0;
}

static bool page_is_like(const struct page *page, uint32_t copy)
{
    return copy == ZEROS ? page_is_zero((const char *)page->at)
                         : memcmp((const char *)page->at, copy_at(copy), PAGE) == 0;
}

/* A new one of the page as it is. NONE: there is no room. */
static uint32_t copy_make(const struct page *page)
{
    uint32_t copy;

    if (page_is_zero((const char *)page->at))
        return ZEROS;
    if (place->free_count > 0)
        copy = place->free[--place->free_count];
    else if (place->copy_count < place->copy_max)
        copy = place->copy_count++;
    else
        return NONE;
    memcpy(copy_at(copy), (const char *)page->at, PAGE);
    place->uses[copy] = 1;
    return copy;
}

static void page_fill(const struct page *page, uint32_t copy)
{
    if (copy == ZEROS)
        memset((char *)page->at, 0, PAGE);
    else
        memcpy((char *)page->at, copy_at(copy), PAGE);
}

static void page_becomes(struct page *page, uint32_t copy)
{
    if (page->current == copy)
        return;
    copy_use(copy);
    copy_leave(page->current);
    page->current = copy;
}

/* ---- pages */

/* Its place in the table: where it is, or where it would be. */
static uint32_t *hash_find(uintptr_t at)
{
    uint32_t i = (uint32_t)mix64(at / PAGE) % HASH_SIZE;

    while (place->hash[i] && place->pages[place->hash[i] - 1].at != at)
        i = (i + 1) % HASH_SIZE;
    return &place->hash[i];
}

/* One that was not there before was zeros. */
static struct page *page_get(uintptr_t at)
{
    uint32_t *found = hash_find(at);

    if (!*found) {
        if (place->page_count == PAGES_MAX)
            return NULL;
        place->pages[place->page_count] = (struct page){.at = at, .row = NONE};
        *found = ++place->page_count;
    }
    return &place->pages[*found - 1];
}

static void page_open(struct page *page)
{
    if (page->open)
        return;
    page->open = true;
    page->calm = 0;
    page->relapses += page->calmed && page->relapses < RELAPSES_MAX;
    place->opened[place->opened_count++] = (uint32_t)(page - place->pages);
}

static void pages_open(uintptr_t low, uintptr_t high)
{
    for (; low < high; low += PAGE) {
        struct page *page = page_get(low);

        if (!page) {
            place->full = true;
            return;
        }
        page_open(page);
    }
}

/* tracker_visit. The tracker still watches memory that may not be written any more, or not even read: that is passed over. */
static void told_add(uintptr_t low, uintptr_t high)
{
    place_ranges_within(&place->watched, low, high, pages_open);
}

/* Each page of the range that is known is open from now on: it is zeros, and may not be there, so that the tracker does not tell. */
static void range_open(uintptr_t low, uintptr_t high)
{
    if ((high - low) / PAGE > place->page_count) {
        for (uint32_t i = 0; i < place->page_count; i++)
            if (place->pages[i].at >= low && place->pages[i].at < high)
                page_open(&place->pages[i]);
        return;
    }
    for (; low < high; low += PAGE) {
        uint32_t known = *hash_find(low);

        if (known)
            page_open(&place->pages[known - 1]);
    }
}

/* kernel_discards. To clear a page costs less than to give it back and to get another one; those that nobody has used yet are given back. */
static bool discarded(void *start, size_t size)
{
    uintptr_t low = (uintptr_t)start, high = low + size;

    range_open(low & ~(PAGE - 1), high);
    if (size > CLEARED_MAX || (low | high) & (PAGE - 1))
        return false;
    for (uintptr_t at = low; at <= high; at += PAGE) {
        if (at < high && !*hash_find(at))
            continue;
        if (low < at)
            syscall(SYS_madvise, low, at - low, MADV_DONTNEED);
        if (at < high)
            memset((char *)at, 0, PAGE);
        low = at + PAGE;
    }
    return true;
}

/* Faults of the process so far: each first write to a protected page is one, and each first use of one that was not there, whoever does it. */
static uint64_t faults_now(void)
{
    struct rusage usage;

    if (syscall(SYS_getrusage, RUSAGE_SELF, &usage) != 0)
        return 0; /* as if there were some each time: see below */
    return 1 + (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

/* Opens all pages that the tracker tells of: one question for all ranges. */
static bool pages_find(bool (*tells)(uintptr_t low, uintptr_t high, tracker_visit *visit))
{
    const struct place_ranges *watched = &place->watched;

    if (!place->full && watched->count > 0 &&
        !tells(watched->at[0].low, watched->at[watched->count - 1].high, told_add))
        place->full = true;
    return !place->full;
}

/* Opens all pages that were written since the last look. */
static bool written_find(void)
{
    uint64_t faults = faults_now();

    if (faults && faults == place->faults)
        return !place->full;
    return pages_find(tracker_written);
}

static bool is_calm(const struct page *page)
{
    return page->calm >= CALM << page->relapses;
}

static void page_close(struct page *page, bool calmed)
{
    page->open = false;
    page->calmed = calmed;
}

/* Protects pages that are open: `all`, or those that have become calm. */
static bool pages_protect(bool all)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < place->opened_count;) {
        struct page *page = &place->pages[place->opened[i++]];
        uintptr_t low = page->at, high = low + PAGE;

        if (!all && !is_calm(page)) {
            place->opened[kept++] = place->opened[i - 1];
            continue;
        }
        page_close(page, !all);
        for (; i < place->opened_count; i++, high += PAGE) {
            page = &place->pages[place->opened[i]];
            if (page->at != high || (!all && !is_calm(page)))
                break;
            page_close(page, !all);
        }
        if (!tracker_protect(low, high))
            return false;
    }
    place->opened_count = kept;
    return true;
}

/* The look is over. */
static bool look_end(bool all)
{
    if ((all || place->opened_count > OPEN_FEW) && !pages_protect(all))
        return false;
    place->faults = faults_now();
    return true;
}

/* ---- beginning */

void *place_stays(size_t size)
{
    char *at = (char *)place->own_low + place->own_used;

    size = (size + PAGE - 1) & ~(PAGE - 1);
    CHECK(size <= place->own_high - place->own_low - place->own_used, "no room to keep moments");
    place->own_used += size;
    return at;
}

static uint32_t copies_allowed(void)
{
    struct sysinfo machine;
    size_t allowed = COPIES_MAX;

    if (syscall(SYS_sysinfo, &machine) == 0 &&
        (size_t)machine.totalram * machine.mem_unit / MEMORY_PART / PAGE < allowed)
        allowed = (size_t)machine.totalram * machine.mem_unit / MEMORY_PART / PAGE;
    return (uint32_t)allowed;
}

static void tables_make(void)
{
    place->pages = place_stays(PAGES_MAX * sizeof *place->pages);
    place->hash = place_stays(HASH_SIZE * sizeof *place->hash);
    place->rows = place_stays(PAGES_MAX * sizeof *place->rows);
    place->opened = place_stays(PAGES_MAX * sizeof *place->opened);
    place->uses = place_stays(COPIES_MAX * sizeof *place->uses);
    place->free = place_stays(COPIES_MAX * sizeof *place->free);
    place->copies = place_stays(COPIES_MAX * PAGE);
    for (int i = 0; i < PLACE_SLOTS; i++) {
        place->moments[i].copies = place_stays(PAGES_MAX * sizeof *place->moments[i].copies);
        place->moments[i].arguments = place_stays(ARGUMENTS_MAX);
    }
    place->copy_count = 1; /* behind ZEROS */
    place->copy_max = copies_allowed();
}

bool place_open(const void *arguments)
{
    if (place)
        return true;
    if (!tracker_open())
        return false;
    place = kernel_map(NULL, RESERVE);
    if (!place)
        return false;
    place->own_low = (uintptr_t)place;
    place->own_high = place->own_low + RESERVE;
    place_stays(sizeof *place);
    place->arguments = (uintptr_t)arguments;
    tables_make();
    kernel_discards = discarded;
    return true;
}

static bool range_watch(uintptr_t low, uintptr_t high)
{
    return low >= high ||
           (place_ranges_add(&place->watched, low, high) && tracker_watch(low, high));
}

/* The stack that this runs on is not watched, and neither is what belongs to this. */
static bool mapping_watch(const struct place_mapping *mapping)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t low = mapping->low, high = mapping->high;

    if (here >= low && here < high) {
        place->stack_high = high;
        return high > place->arguments && high - place->arguments <= ARGUMENTS_MAX;
    }
    /* pages of a file are read now, so that what they hold is known */
    if (mapping->of_file && !kernel_populate((void *)low, high - low))
        return false;
    if (high <= place->own_low || low >= place->own_high)
        return range_watch(low, high);
    return range_watch(low, place->own_low) && range_watch(place->own_high, high);
}

/* All that was written since the last look has a copy. False: there is no room. */
static bool opened_copy(void)
{
    for (uint32_t i = 0; i < place->opened_count; i++) {
        struct page *page = &place->pages[place->opened[i]];
        uint32_t copy;

        if (page_is_like(page, page->current)) {
            page->calm += page->calm < UINT16_MAX;
            continue;
        }
        copy = copy_make(page);
        if (copy == NONE)
            return false;
        copy_leave(page->current);
        page->current = copy;
        page->calm = 0;
        if (page->row == NONE) {
            page->row = place->row_count;
            place->rows[place->row_count++] = place->opened[i];
        }
    }
    return true;
}

/* All moments are lost, so those to come need rows only for what changes from now on. */
static void rows_forget(void)
{
    for (uint32_t i = 0; i < place->row_count; i++) {
        struct page *page = &place->pages[place->rows[i]];

        copy_use(page->current);
        copy_leave(page->origin);
        page->origin = page->current;
        page->row = NONE;
    }
    place->row_count = 0;
}

/* Mappings are others than before. At an address that is known there may be new memory now, or none, or memory that was elsewhere, and the tracker does not tell. So
 * all that is there is looked at again, and all that is known: what is not there is zeros. Nothing is known of what is not watched; it is looked at when it is again. */
static bool pages_doubt(void)
{
    place->opened_count = 0;
    for (uint32_t i = 0; i < place->page_count; i++) {
        struct page *page = &place->pages[i];

        page_close(page, false);
        if (place_ranges_have(&place->watched, page->at)) {
            page_open(page);
            continue;
        }
        page_becomes(page, ZEROS);
        copy_leave(page->origin);
        page->origin = ZEROS;
    }
    return pages_find(tracker_there);
}

bool place_is_known(void)
{
    return !place->full && place->generation > 0 && place->mappings == kernel_mappings();
}

bool place_begin(const char **why)
{
    *why = "too much memory";
    if (place->full)
        return false;
    place->generation++;
    place->watched.count = 0;
    place->faults = 0;
    if (!place_mappings(mapping_watch)) {
        *why = "memory that cannot be watched";
        place->mappings = 0;
        return false;
    }
    place->full = !pages_doubt() || !opened_copy() || !look_end(true);
    rows_forget();
    place->mappings = kernel_mappings();
    return !place->full;
}

/* ---- moments */

void place_drop(uint32_t slot)
{
    struct moment *moment = &place->moments[slot];

    if (!moment->generation)
        return;
    moment->generation = 0;
    for (uint32_t i = 0; i < moment->count; i++)
        copy_leave(moment->copies[i]);
}

bool place_keep(uint32_t slot)
{
    struct moment *moment = &place->moments[slot];

    place_drop(slot);
    place->full = !written_find() || !opened_copy() || !look_end(false);
    if (place->full)
        return false;
    for (uint32_t i = 0; i < place->row_count; i++)
        moment->copies[i] = copy_use(place->pages[place->rows[i]].current);
    moment->count = place->row_count;
    moment->generation = place->generation;
    memcpy(moment->arguments, (const char *)place->arguments, place->stack_high - place->arguments);
    return true;
}

bool place_is_there(uint32_t slot)
{
    return place->moments[slot].generation == place->generation && place_is_known();
}

/* What the page was like in that moment. */
static uint32_t copy_then(const struct moment *moment, const struct page *page)
{
    return page->row < moment->count ? moment->copies[page->row] : page->origin;
}

static void opened_bring_back(const struct moment *moment)
{
    for (uint32_t i = 0; i < place->opened_count; i++) {
        struct page *page = &place->pages[place->opened[i]];
        uint32_t then = copy_then(moment, page);

        if (page_is_like(page, then)) {
            page->calm += page->calm < UINT16_MAX;
        } else {
            page_fill(page, then);
            page->calm = 0;
        }
        page_becomes(page, then);
    }
}

/* Those that were written between that moment and a later one, and not since. */
static void others_bring_back(const struct moment *moment)
{
    for (uint32_t i = 0; i < place->row_count; i++) {
        struct page *page = &place->pages[place->rows[i]];
        uint32_t then = copy_then(moment, page);

        if (page->current == then) /* as all that are open are by now */
            continue;
        page_fill(page, then);
        page_open(page);
        page_becomes(page, then);
    }
}

/* Some of it may be read-only: that has not changed. */
static void arguments_bring_back(const struct moment *moment)
{
    for (uintptr_t at = place->arguments; at < place->stack_high;) {
        uintptr_t end = (at | (PAGE - 1)) + 1;
        const char *then = moment->arguments + (at - place->arguments);

        if (memcmp((const char *)at, then, end - at) != 0)
            memcpy((char *)at, then, end - at);
        at = end;
    }
}

bool place_go(uint32_t slot)
{
    const struct moment *moment = &place->moments[slot];
    struct tls_kernel kernel;

    if (!written_find())
        return false;
    tls_kernel_keep(&kernel);
    opened_bring_back(moment);
    others_bring_back(moment);
    arguments_bring_back(moment);
    tls_kernel_back(&kernel);
    tls_again();
    place->full = !look_end(false);
    return true;
}
