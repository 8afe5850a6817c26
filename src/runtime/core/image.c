#include "runtime/core/image.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/vec.h"
#include "runtime/core/kernel.h"
#include "runtime/core/part.h"

#define PAGE ((uintptr_t)4096)

/* A range whose pages start read-only. */
struct tracked {
    char *start;    /* at a page */
    size_t size;    /* whole pages */
    char *copy;     /* as large as the range; memory only where a page was saved */
    uint64_t *open; /* a bit for each page: saved and writable */
};

/* What a restart copies: [to, to + size) from `from`, or zeros if that is NULL. In order of
 * addresses. */
struct run {
    char *to;
    const char *from;
    size_t size;
};

static struct {
    struct arena arena; /* of the two below */
    VEC(struct tracked) tracked;
    VEC(struct run) runs;
    bool saved;
    bool untracked; /* the ranges stay writable */
    bool has_avx;
    unsigned faults;
} image;

/* ---- copying. The memcpy of glibc takes up to twice as long for one page (it chooses `rep
 * movsb`). */

typedef long long vec128 __attribute__((vector_size(16), may_alias));
typedef long long vec256 __attribute__((vector_size(32), may_alias));

/* Both for whole pages at page boundaries. */
__attribute__((target("avx"))) static void pages_copy_avx(char *to, const char *from, size_t size)
{
    for (size_t i = 0; i < size; i += 128) {
        vec256 a = *(const vec256 *)(from + i), b = *(const vec256 *)(from + i + 32);
        vec256 c = *(const vec256 *)(from + i + 64), d = *(const vec256 *)(from + i + 96);

        *(vec256 *)(to + i) = a;
        *(vec256 *)(to + i + 32) = b;
        *(vec256 *)(to + i + 64) = c;
        *(vec256 *)(to + i + 96) = d;
    }
}

__attribute__((target("avx"))) static void pages_clear_avx(char *to, size_t size)
{
    for (size_t i = 0; i < size; i += 128) {
        *(vec256 *)(to + i) = (vec256){0};
        *(vec256 *)(to + i + 32) = (vec256){0};
        *(vec256 *)(to + i + 64) = (vec256){0};
        *(vec256 *)(to + i + 96) = (vec256){0};
    }
}

static void run_restore(const struct run *run)
{
    bool pages = !(((uintptr_t)run->to | run->size) & (PAGE - 1));

    if (pages && image.has_avx && run->from)
        pages_copy_avx(run->to, run->from, run->size);
    else if (pages && image.has_avx)
        pages_clear_avx(run->to, run->size);
    else if (run->from)
        memcpy(run->to, run->from, run->size);
    else
        memset(run->to, 0, run->size);
}

static bool page_is_zero(const char *page)
{
    vec128 any = {0};

    for (size_t i = 0; i < PAGE; i += 16)
        any |= *(const vec128 *)(page + i);
    return !(any[0] | any[1]);
}

/* ---- runs */

static bool run_follows(const struct run *run, const struct run *next)
{
    return run->to + run->size == next->to && !run->from == !next->from &&
           (!run->from || run->from + run->size == next->from);
}

/* Adds a run in its place, as part of its neighbours where it continues them. */
static void runs_add(struct run run)
{
    uint32_t at = image.runs.count;
    uint32_t low = 0;

    while (low < at) {
        uint32_t middle = low + (at - low) / 2;

        if (image.runs.at[middle].to < run.to)
            low = middle + 1;
        else
            at = middle;
    }
    if (at > 0 && run_follows(&image.runs.at[at - 1], &run)) {
        run.to = image.runs.at[at - 1].to;
        run.from = image.runs.at[at - 1].from;
        run.size += image.runs.at[at - 1].size;
        memmove(&image.runs.at[at - 1], &image.runs.at[at], (image.runs.count - at) * sizeof run);
        image.runs.count--;
        at--;
    }
    if (at < image.runs.count && run_follows(&run, &image.runs.at[at])) {
        run.size += image.runs.at[at].size;
        image.runs.at[at] = run;
        return;
    }
    vec_reserve(&image.arena, &image.runs, 1);
    memmove(&image.runs.at[at + 1], &image.runs.at[at], (image.runs.count - at) * sizeof run);
    image.runs.at[at] = run;
    image.runs.count++;
}

/* ---- tracked pages */

static bool page_is_open(const struct tracked *range, size_t page)
{
    return range->open[page / 64] >> (page % 64) & 1;
}

/* How many pages to open at once. Each change of protection splits a mapping, and a process may
 * have 65,530 of them: one who writes all over a huge array gets coarser steps. */
static size_t pages_at_once(void)
{
    return image.runs.count < 2048 ? 1 : image.runs.count < 8192 ? 16 : 256;
}

/* Saves and opens the page at `addr`, with its neighbours where pages_at_once says so. */
static void page_open(struct tracked *range, const char *addr)
{
    size_t step = pages_at_once();
    size_t first = (size_t)(addr - range->start) / PAGE / step * step;
    size_t end = first + step < range->size / PAGE ? first + step : range->size / PAGE;

    for (size_t page = first; page < end; page++) {
        char *at = range->start + page * PAGE;
        struct run run = {.to = at, .size = PAGE};

        if (page_is_open(range, page))
            continue;
        if (!page_is_zero(at)) {
            run.from = range->copy + page * PAGE;
            memcpy(range->copy + page * PAGE, at, PAGE);
        }
        range->open[page / 64] |= (uint64_t)1 << (page % 64);
        runs_add(run);
    }
    image.faults++;
    CHECK(
        !kernel_protect(range->start + first * PAGE, (end - first) * PAGE, PROT_READ | PROT_WRITE),
        "mprotect failed, errno %d", errno);
}

bool image_fault(void *addr)
{
    for (uint32_t i = 0; image.saved && i < image.tracked.count; i++) {
        struct tracked *range = &image.tracked.at[i];
        uintptr_t offset = (uintptr_t)addr - (uintptr_t)range->start; /* wraps when below */

        if (offset >= range->size)
            continue;
        if (page_is_open(range, offset / PAGE))
            return false; /* the fault has another reason, and would come back for ever */
        page_open(range, addr);
        return true;
    }
    return false;
}

void image_touch(void *start, size_t size)
{
    char *from = start;

    for (uint32_t i = 0; image.saved && size && i < image.tracked.count; i++) {
        struct tracked *range = &image.tracked.at[i];
        char *low = from > range->start ? from : range->start;
        char *end = range->start + range->size;

        if (size < (size_t)(UINTPTR_MAX - (uintptr_t)from) && from + size < end)
            end = from + size;
        low = (char *)((uintptr_t)low & ~(PAGE - 1));
        for (; low < end; low += PAGE) {
            if (!page_is_open(range, (size_t)(low - range->start) / PAGE))
                page_open(range, low);
        }
    }
}

/* ---- ranges */

static int image_open(void)
{
    if (image.saved) {
        errno = EBUSY;
        return -1;
    }
    if (image.arena.base)
        return 0;
    return arena_open(&image.arena, (size_t)1 << 30);
}

int image_add_copied(void *start, size_t size)
{
    char *copy;

    if (image_open())
        return -1;
    if (!size)
        return 0;
    copy = kernel_map(NULL, (size + PAGE - 1) & ~(PAGE - 1));
    if (!copy)
        return -1;
    runs_add((struct run){.to = start, .from = copy, .size = size});
    return 0;
}

static int tracked_add(char *start, size_t size)
{
    struct tracked range = {.start = start, .size = size};
    size_t words = (size / PAGE + 63) / 64;

    range.copy = kernel_map(NULL, size);
    range.open = kernel_map(NULL, words * sizeof *range.open);
    if (!range.copy || !range.open)
        return -1;
    vec_push(&image.arena, &image.tracked, range);
    return 0;
}

int image_add_range(void *start, size_t size)
{
    char *from = start;
    char *first = (char *)(((uintptr_t)from + PAGE - 1) & ~(PAGE - 1));
    char *end = (char *)(((uintptr_t)from + size) & ~(PAGE - 1));

    if (size <= IMAGE_WHOLE)
        return image_add_copied(start, size);
    if (image_open() || image_add_copied(from, (size_t)(first - from)) ||
        image_add_copied(end, (size_t)(from + size - end)))
        return -1;
    return tracked_add(first, (size_t)(end - first));
}

int image_add_late(void *start, size_t size)
{
    if (image.untracked)
        return 0;
    return tracked_add(start, size) || kernel_protect(start, size, PROT_READ) ? -1 : 0;
}

void image_untracked(void)
{
    image.untracked = true;
}

int image_save(void)
{
    if (image_open())
        return -1;
    image.has_avx = __builtin_cpu_supports("avx");
    for (uint32_t i = 0; i < image.runs.count; i++)
        memcpy((char *)image.runs.at[i].from, image.runs.at[i].to, image.runs.at[i].size);
    image.saved = true;
    for (uint32_t i = 0; !image.untracked && i < image.tracked.count; i++) {
        if (kernel_protect(image.tracked.at[i].start, image.tracked.at[i].size, PROT_READ))
            return -1;
    }
    return 0;
}

void image_restart(void)
{
    for (uint32_t i = 0; i < image.runs.count; i++)
        run_restore(&image.runs.at[i]);
}

/* Pages of tracked ranges that were written to are in `runs`; the others are as at the start, but may hold pointers, too. */
void image_each(void (*visit)(const void *start, size_t size))
{
    for (uint32_t i = 0; i < image.runs.count; i++)
        visit(image.runs.at[i].to, image.runs.at[i].size);
    for (uint32_t i = 0; i < image.tracked.count; i++)
        for (size_t page = 0; page < image.tracked.at[i].size / PAGE; page++)
            if (!page_is_open(&image.tracked.at[i], page))
                visit(image.tracked.at[i].start + page * PAGE, PAGE);
}

static bool extent_grow(uintptr_t start, size_t size, uintptr_t *low, uintptr_t *high)
{
    if (start > *high || start + size < *low || (start >= *low && start + size <= *high))
        return false;
    *low = start < *low ? start : *low;
    *high = start + size > *high ? start + size : *high;
    return true;
}

/* Grows it from nothing by each piece that it touches, until none is left. */
bool image_extent(uintptr_t addr, uintptr_t *low, uintptr_t *high)
{
    bool grows = true;

    *low = *high = addr;
    while (grows) {
        grows = false;
        for (uint32_t i = 0; i < image.tracked.count; i++)
            grows |= extent_grow((uintptr_t)image.tracked.at[i].start, image.tracked.at[i].size,
                                 low, high);
        for (uint32_t i = 0; i < image.runs.count; i++)
            grows |= extent_grow((uintptr_t)image.runs.at[i].to, image.runs.at[i].size, low, high);
    }
    return addr < *high;
}

struct image_stats image_stats(void)
{
    struct image_stats stats = {.faults = image.faults, .runs = image.runs.count};

    for (uint32_t i = 0; i < image.runs.count; i++) {
        stats.restored += image.runs.at[i].size;
        stats.saved += image.runs.at[i].from ? image.runs.at[i].size : 0;
    }
    stats.bytes = stats.restored;
    for (uint32_t i = 0; i < image.tracked.count; i++) {
        for (size_t page = 0; page < image.tracked.at[i].size / PAGE; page++)
            stats.bytes += page_is_open(&image.tracked.at[i], page) ? 0 : PAGE;
    }
    return stats;
}

const struct part image_part = {.name = "image",
                                .state = &image,
                                .size = sizeof image,
                                .restart = image_restart,
                                .stateless = true};
