#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "runtime/core/kernel.h"
#include "runtime/descriptors/descriptors.h"
#include "runtime/files/files.h"
#include "runtime/files/mapping.h"
#include "runtime/hooks/plain.h"

/* Memory that the program maps. As in the heap, each thread has a space of its own, so that addresses do not depend
 * on what other threads did before; a restart unmaps what was used of it. */

#define MAPPED_BASE  0x680000000000u
#define MAPPED_SPACE ((uintptr_t)8 << 30) /* of one thread */
#define PAGE         ((uintptr_t)4096)
#define HUGE_PAGE    ((uintptr_t)2 << 20)

#define MAPPINGS_MAX                                                                               \
    32768u /* at a time; the kernel has a limit, too, and the engine must not be the one that meets it */

static struct {
    uint32_t count;                    /* that the execution has, at most */
    size_t used[RUNTIME_THREADS];      /* bytes of its space that a thread has used */
    uint32_t mappers[RUNTIME_THREADS]; /* threads that have used any */
    uint32_t mapper_count;
} mappings;

static uintptr_t space_of(uint32_t thread)
{
    return MAPPED_BASE + thread * MAPPED_SPACE;
}

static bool is_mapped(const void *start, size_t size)
{
    uintptr_t offset = (uintptr_t)start - MAPPED_BASE;
    uintptr_t thread = offset / MAPPED_SPACE;

    return thread < RUNTIME_THREADS && size <= MAPPED_SPACE &&
           offset % MAPPED_SPACE + size <= mappings.used[thread];
}

/* The next free place, or NULL. Nothing is used of it until space_use. */
static void *space_next(size_t size, uintptr_t align)
{
    uint32_t thread = native.current->number;
    uintptr_t at = (space_of(thread) + mappings.used[thread] + align - 1) & ~(align - 1);

    if (size == 0 || size > MAPPED_SPACE || at + size + PAGE > space_of(thread) + MAPPED_SPACE) {
        errno = ENOMEM;
        return NULL;
    }
    return (void *)at;
}

/* A page behind stays free, so that running over the end is noticed. */
static void space_use(void *start, size_t size, uintptr_t align)
{
    uint32_t thread = native.current->number;
    uintptr_t end = ((uintptr_t)start + size + align - 1) & ~(align - 1);

    if (!mappings.used[thread])
        mappings.mappers[mappings.mapper_count++] = thread;
    mappings.used[thread] = end + PAGE - space_of(thread);
}

static void restart(void)
{
    for (uint32_t i = 0; i < mappings.mapper_count; i++) {
        kernel_changes++;
        syscall(SYS_munmap, space_of(mappings.mappers[i]), mappings.used[mappings.mappers[i]]);
        mappings.used[mappings.mappers[i]] = 0;
    }
    mappings.mapper_count = 0;
    mappings.count = 0;
}

static size_t pages(size_t size)
{
    return (size + PAGE - 1) & ~(PAGE - 1);
}

/* To map a file that others use is a step. */
static void mapping_begin(int flags, int protection, int fd)
{
    if (flags & MAP_ANONYMOUS || fd < 0)
        return;
    channels_or_file(fd);
    files_shared(fd, flags & MAP_SHARED && protection & PROT_WRITE, false);
}

static void mapping_end(void *start, size_t size, int flags, int protection, int fd)
{
    bool shared = (flags & MAP_TYPE) != MAP_PRIVATE;

    if (start == MAP_FAILED)
        return;
    mapping_made(start, pages(size), protection);
    if (flags & MAP_FIXED)
        files_unmapped(start, pages(size));
    if (!(flags & MAP_ANONYMOUS))
        files_mapped(fd, start, pages(size), shared, protection & PROT_WRITE);
}

static void *raw_map(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    kernel_changes++;
    return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

INTERPOSE void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    uintptr_t align = flags & MAP_HUGETLB ? HUGE_PAGE : PAGE;
    void *got;

    if (!native.current)
        return raw_map(at, size, protection, flags, fd, offset);
    mapping_begin(flags, protection, fd);
    if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
        if (is_mapped(at, size)) {
            if (!(flags & MAP_FIXED_NOREPLACE))
                mapping_taken("mmap", at, pages(size), true);
            got = raw_map(at, size, protection, flags, fd, offset);
            mapping_end(got, size, flags, protection, fd);
            return got;
        }
        native_refused("mmap with MAP_FIXED, outside of what mmap gave");
        errno = ENOMEM;
        return MAP_FAILED;
    }
    if (flags & MAP_32BIT) {
        native_refused("mmap with MAP_32BIT");
        errno = ENOMEM;
        return MAP_FAILED;
    }
    at = mappings.count < MAPPINGS_MAX ? space_next(size, align) : NULL;
    if (!at) {
        errno = size ? ENOMEM : EINVAL;
        return MAP_FAILED;
    }
    got = raw_map(at, size, protection, flags | MAP_FIXED_NOREPLACE, fd, offset);
    if (got == MAP_FAILED)
        return got;
    space_use(got, size, align);
    mappings.count++;
    mapping_end(got, size, flags, protection, fd);
    return got;
}

INTERPOSE void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return mmap(at, size, protection, flags, fd, offset);
}

INTERPOSE int munmap(void *start, size_t size)
{
    if (native.current && !is_mapped(start, size)) {
        native_unsupported("munmap of memory that mmap did not give");
        return 0;
    }
    mappings.count -= native.current && mappings.count > 0;
    if (native.current) {
        mapping_taken("munmap", start, pages(size), false);
        files_unmapped(start, pages(size));
    }
    plain_unmapped();
    kernel_changes++;
    return (int)syscall(SYS_munmap, start, size);
}

INTERPOSE int mprotect(void *start, size_t size, int protection)
{
    if (native.current && !is_mapped(start, size)) {
        native_unsupported("mprotect of memory that mmap did not give");
        return 0;
    }
    if (native.current && protection & PROT_WRITE)
        files_mapped_writable(start, size);
    if (native.current)
        mapping_protected(start, pages(size), protection);
    plain_unmapped();
    return kernel_protect(start, size, protection);
}

static void *mapping_grow(void *old, size_t old_size, size_t size)
{
    void *at = space_next(size, PAGE), *got;

    if (!at)
        return MAP_FAILED;
    mapping_taken("mremap", old, pages(old_size), false);
    got = (void *)syscall(SYS_mremap, old, old_size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at);
    if (got != MAP_FAILED)
        space_use(got, size, PAGE);
    return got;
}

INTERPOSE void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
    va_list arguments;
    void *at;

    va_start(arguments, flags);
    at = va_arg(arguments, void *);
    va_end(arguments);
    kernel_changes++;
    if (!native.current)
        return (void *)syscall(SYS_mremap, old, old_size, size, flags, at);
    if (!is_mapped(old, old_size) || (flags & ~MREMAP_MAYMOVE)) {
        native_refused("mremap with a fixed address, or of memory that mmap did not give");
        errno = EINVAL;
        return MAP_FAILED;
    }
    plain_unmapped();
    if (pages(size) < pages(old_size))
        mapping_taken("mremap", (char *)old + pages(size), pages(old_size) - pages(size), false);
    if (size <= old_size)
        return (void *)syscall(SYS_mremap, old, old_size, size, 0);
    if (flags & MREMAP_MAYMOVE)
        return mapping_grow(old, old_size, size);
    errno = ENOMEM;
    return MAP_FAILED;
}

/* ---- what is not modelled */

NOT_MODELLED(int, brk, (void *end), (end), ENOMEM, -1)
NOT_MODELLED(void *, shmat, (int id, const void *at, int flags), (id, at, flags), ENOSYS,
             (void *)-1)

REAL_CALL(sbrk)
INTERPOSE void *sbrk(intptr_t change)
{
    if (!native.current || change == 0)
        return REAL(sbrk)(change);
    native_refused("sbrk");
    errno = ENOMEM;
    return (void *)-1;
}

static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return mappings.mapper_count == 0;
}

const struct part mappings_part = {.name = "mapped memory",
                                   .state = &mappings,
                                   .size = sizeof mappings,
                                   .restart = restart,
                                   .fingerprint = fingerprint};
