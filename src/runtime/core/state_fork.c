#include "runtime/core/state_fork.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "runtime/core/kernel.h"
#include "runtime/core/state.h"

#define START_MAX 1024
#define FILES_MAX 64
#define MQUEUE    0x19800202 /* the file system of message queues, which look like files */
#define PAGE      4096

/* An open file, and where it is. */
struct file {
    int fd, flags;
    int64_t offset;
};

static struct {
    uint64_t start[START_MAX / 64]; /* descriptors that were open: a bit each */
    uintptr_t ours;
    size_t ours_size;
    struct file files[FILES_MAX];
    uint32_t count;
} shared; /* outlives a run: what is remembered is as old as the process that waits */

/* ---- /proc */

struct entry {
    uint64_t inode, next;
    uint16_t length;
    uint8_t type;
    char name[];
};

/* Calls `visit` for each open descriptor, until one says false. */
static bool descriptors_each(bool (*visit)(int fd))
{
    char buffer[4096] __attribute__((aligned(8)));
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool all = fd >= 0;
    long got;

    while (all && (got = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) != 0) {
        all = got > 0;
        for (long at = 0; all && at < got;) {
            const struct entry *entry = (const struct entry *)(buffer + at);
            char *end;
            long number = strtol(entry->name, &end, 10);

            if (end != entry->name && *end == '\0' && number != fd)
                all = visit((int)number);
            at += entry->length;
        }
    }
    if (fd >= 0)
        kernel_close((int)fd);
    return all;
}

/* A line of /proc/self/maps: whether other processes see what is written there. */
static bool line_is_shared(const char *line)
{
    char *end;
    uintptr_t low = strtoul(line, &end, 16);

    if (*end != '-')
        return true;
    strtoul(end + 1, &end, 16);
    return strlen(end) > 5 && end[2] == 'w' && end[4] == 's' &&
           low - shared.ours >= shared.ours_size;
}

/* Whether there is any such memory besides ours. Lines are short at their beginning, where it says so. */
static bool memory_is_shared(void)
{
    char buffer[4096 + 1], line[128];
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC), got;
    bool found = fd < 0;
    size_t used = 0;

    while (!found && (got = syscall(SYS_read, fd, buffer, sizeof buffer - 1)) != 0) {
        found = got < 0;
        for (long i = 0; !found && i < got; i++) {
            if (buffer[i] != '\n') {
                if (used + 1 < sizeof line)
                    line[used++] = buffer[i];
                continue;
            }
            line[used] = '\0';
            used = 0;
            found = line_is_shared(line);
        }
    }
    if (fd >= 0)
        kernel_close((int)fd);
    return found;
}

/* ---- descriptors */

static bool is_of_start(int fd)
{
    return state_fd_is_ours(fd) ||
           (fd < START_MAX && shared.start[fd / 64] >> (fd % 64) & 1 && state_fd_is_of_start(fd));
}

static bool start_note(int fd)
{
    if (fd < START_MAX)
        shared.start[fd / 64] |= (uint64_t)1 << (fd % 64);
    return true;
}

/* A file that is only read is the same for both, but for its offset. */
static bool is_only_read(int fd, int flags)
{
    struct statfs system;
    struct stat status;

    return syscall(SYS_fstat, fd, &status) == 0 && S_ISREG(status.st_mode) &&
           (flags & O_ACCMODE) == O_RDONLY && syscall(SYS_fstatfs, fd, &system) == 0 &&
           system.f_type != MQUEUE;
}

/* Those of the start that cannot seek are not read again in the next run, either. */
static bool descriptor_look(int fd)
{
    struct file file = {fd, (int)syscall(SYS_fcntl, fd, F_GETFL), -1};

    if (state_fd_is_ours(fd))
        return true;
    if (!is_of_start(fd) && !is_only_read(fd, file.flags))
        return false;
    file.offset = syscall(SYS_lseek, fd, 0L, SEEK_CUR);
    if (file.offset < 0)
        return is_of_start(fd);
    if (shared.count == FILES_MAX)
        return false;
    shared.files[shared.count++] = file;
    return true;
}

/* ---- */

void state_fork_begins(const void *ours, size_t size)
{
    shared.ours = (uintptr_t)ours;
    shared.ours_size = size;
    descriptors_each(start_note);
}

bool state_fork_looks(const char **why)
{
    int error = errno;
    bool can;

    shared.count = 0;
    can = descriptors_each(descriptor_look);
    if (!can)
        *why = "descriptors other than of files that are only read";
    if (can && memory_is_shared()) {
        *why = "memory that is shared with others";
        can = false;
    }
    errno = error;
    return can;
}

bool state_fork_restores(void)
{
    bool ok = true;

    for (uint32_t i = 0; i < shared.count; i++) {
        const struct file *file = &shared.files[i];

        ok &= syscall(SYS_lseek, file->fd, file->offset, SEEK_SET) == file->offset;
        if (syscall(SYS_fcntl, file->fd, F_GETFL) != file->flags)
            ok &= syscall(SYS_fcntl, file->fd, F_SETFL, file->flags) == 0;
    }
    return ok;
}

size_t state_fork_bytes(void)
{
    char buffer[128] = "";
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
    unsigned long resident = 0, of_files = 0;
    char *at;

    if (fd < 0)
        return 0;
    if (syscall(SYS_read, fd, buffer, sizeof buffer - 1) > 0) {
        strtoul(buffer, &at, 10);
        resident = strtoul(at, &at, 10);
        of_files = strtoul(at, &at, 10);
    }
    kernel_close((int)fd);
    return resident > of_files ? (resident - of_files) * PAGE : 0;
}
