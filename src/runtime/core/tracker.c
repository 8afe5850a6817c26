#include "runtime/core/tracker.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#include "runtime/core/kernel.h"
#include "runtime/core/state_fd.h"

/* What headers before Linux 6.7 do not have. */
#define FEATURE_WP_UNPOPULATED ((uint64_t)1 << 13)
#define FEATURE_WP_ASYNC       ((uint64_t)1 << 15)
#define USER_MODE_ONLY         1

struct region {
    uint64_t start, end, categories;
};

struct scan {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define SCAN_REQUEST  _IOWR('f', 16, struct scan)
#define PAGE_WATCHED  1 /* it could be protected so */
#define PAGE_WRITTEN  2
#define PAGE_PRESENT  8
#define PAGE_SWAPPED  16
#define REGIONS_COUNT 128

static struct {
    int faults, pages; /* descriptors */
} tracker = {-1, -1};  /* outlives a run: it is about the process */

/* A descriptor of ours, out of the way of the program. */
static int ours(long fd)
{
    return fd < 0 ? -1 : state_fd_take((int)fd);
}

/* Asks for pages of our own that are protected and then written. */
static bool tracker_works(void)
{
    char *trial = kernel_map(NULL, 2 * TRACKER_PAGE);
    uintptr_t low = (uintptr_t)trial;
    uint64_t written = 0;
    struct region regions[4];
    struct scan scan = {.size = sizeof scan,
                        .start = low,
                        .end = low + 2 * TRACKER_PAGE,
                        .vec = (uintptr_t)regions,
                        .vec_len = 4,
                        .category_mask = PAGE_WATCHED | PAGE_WRITTEN,
                        .category_anyof_mask = PAGE_PRESENT | PAGE_SWAPPED,
                        .return_mask = PAGE_WRITTEN};
    long count = -1;

    if (!trial)
        return false;
    ((volatile char *)trial)[0] = ((volatile char *)trial)[TRACKER_PAGE] = 1;
    if (tracker_watch(low, low + 2 * TRACKER_PAGE) &&
        tracker_protect(low, low + 2 * TRACKER_PAGE)) {
        ((volatile char *)trial)[TRACKER_PAGE] = 2;
        count = syscall(SYS_ioctl, tracker.pages, SCAN_REQUEST, &scan);
        written = regions[0].start;
    }
    syscall(SYS_munmap, trial, 2 * TRACKER_PAGE);
    return count == 1 && written == low + TRACKER_PAGE;
}

bool tracker_open(void)
{
    struct uffdio_api api = {.api = UFFD_API,
                             .features = FEATURE_WP_UNPOPULATED | FEATURE_WP_ASYNC};

    if (tracker.faults >= 0)
        return true;
    tracker.faults = ours(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY));
    tracker.pages = ours(syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    if (tracker.faults >= 0 && tracker.pages >= 0 &&
        syscall(SYS_ioctl, tracker.faults, UFFDIO_API, &api) == 0 && tracker_works())
        return true;
    if (tracker.faults >= 0)
        kernel_close(tracker.faults);
    if (tracker.pages >= 0)
        kernel_close(tracker.pages);
    tracker.faults = tracker.pages = -1;
    return false;
}

bool tracker_watch(uintptr_t low, uintptr_t high)
{
    struct uffdio_register range = {.range = {low, high - low}, .mode = UFFDIO_REGISTER_MODE_WP};

    return syscall(SYS_ioctl, tracker.faults, UFFDIO_REGISTER, &range) == 0;
}

/* Visits pages of these categories that are there. */
static bool pages_visit(uintptr_t low, uintptr_t high, uint64_t categories, tracker_visit *visit)
{
    struct region regions[REGIONS_COUNT];
    struct scan scan = {.size = sizeof scan,
                        .start = low,
                        .end = high,
                        .vec = (uintptr_t)regions,
                        .vec_len = REGIONS_COUNT,
                        .category_mask = categories,
                        .category_anyof_mask = PAGE_PRESENT | PAGE_SWAPPED,
                        .return_mask = PAGE_WATCHED};

    while (scan.start < high) {
        long count = syscall(SYS_ioctl, tracker.pages, SCAN_REQUEST, &scan);

        if (count < 0 || (count == 0 && scan.walk_end < high))
            return false;
        for (long i = 0; i < count; i++)
            visit(regions[i].start, regions[i].end);
        scan.start = scan.walk_end;
    }
    return true;
}

bool tracker_written(uintptr_t low, uintptr_t high, tracker_visit *visit)
{
    return pages_visit(low, high, PAGE_WATCHED | PAGE_WRITTEN, visit);
}

bool tracker_there(uintptr_t low, uintptr_t high, tracker_visit *visit)
{
    return pages_visit(low, high, PAGE_WATCHED, visit);
}

bool tracker_protect(uintptr_t low, uintptr_t high)
{
    struct uffdio_writeprotect range = {.range = {low, high - low},
                                        .mode = UFFDIO_WRITEPROTECT_MODE_WP};

    return syscall(SYS_ioctl, tracker.faults, UFFDIO_WRITEPROTECT, &range) == 0;
}
