#include "runtime/core/kernel.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>

#include "base/map.h"
#include "runtime/core/state_fd.h"

uint64_t kernel_changes;                 /* outlives a run: it is about the process */
bool (*kernel_discards)(void *, size_t); /* outlives a run: set once */

/* Libraries that came and went, in all. */
static int libraries_count(struct dl_phdr_info *info, size_t size, void *sum)
{
    (void)size;
    *(uint64_t *)sum = info->dlpi_adds << 32 ^ info->dlpi_subs;
    return 1;
}

/* A file that tells how much is mapped, kept open; and of which process. */
static struct {
    int fd;
    uint32_t process;
} told; /* outlives a run: it is about the process */

/* Pages that are mapped: code that is not seen may map and unmap, too. */
static uint64_t pages_mapped(void)
{
    char text[32] = "";
    uint32_t process = (uint32_t)syscall(SYS_getpid);

    if (told.process != process) {
        long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);

        if (fd < 0)
            return 0;
        told.fd = state_fd_take((int)fd);
        told.process = process;
    }
    syscall(SYS_pread64, told.fd, text, sizeof text - 1, 0L);
    return strtoul(text, NULL, 10);
}

uint64_t kernel_mappings(void)
{
    uint64_t libraries = 0;

    dl_iterate_phdr(libraries_count, &libraries);
    return mix64(mix64(kernel_changes) ^ mix64(libraries + 1)) ^ pages_mapped();
}

bool kernel_maps(bool (*visit)(const char *line, void *context), void *context)
{
    char buffer[4096], line[128];
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC), got;
    bool good = fd >= 0;
    size_t used = 0;

    while (good && (got = syscall(SYS_read, fd, buffer, sizeof buffer)) != 0) {
        good = got > 0;
        for (long i = 0; good && i < got; i++) {
            if (buffer[i] != '\n') {
                if (used + 1 < sizeof line)
                    line[used++] = buffer[i];
                continue;
            }
            line[used] = '\0';
            used = 0;
            good = visit(line, context);
        }
    }
    if (fd >= 0)
        kernel_close((int)fd);
    return good;
}
