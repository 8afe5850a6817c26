#include "runtime/core/state_fork.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "runtime/core/kernel.h"
#include "runtime/core/state.h"

#define START_MAX STATE_FILES_NUMBERS
#define MQUEUE    0x19800202 /* the file system of message queues, which look like files */
#define PAGE      4096

static struct {
    uint64_t start[START_MAX / 64]; /* descriptors that were open: a bit each */
    uintptr_t ours;
    size_t ours_size;
    uint64_t mappings; /* as kernel_mappings says: none of them was shared then */
    struct state_files seen;
} shared; /* outlives a run: what is remembered is as old as the process that waits */

bool (*state_fork_models)(int fd); /* outlives a run: set once */

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

/* A line of /proc/self/maps: whether other processes do not see what is written there. */
static bool line_is_private(const char *line, void *context)
{
    char *end;
    uintptr_t low = strtoul(line, &end, 16);

    (void)context;
    if (*end != '-')
        return false;
    strtoul(end + 1, &end, 16);
    return strlen(end) <= 5 || end[2] != 'w' || end[4] != 's' ||
           low - shared.ours < shared.ours_size;
}

/* Whether there is any other memory besides ours. */
static bool memory_is_shared(void)
{
    return !kernel_maps(line_is_private, NULL);
}

/* Reads them only if they have changed. */
static bool mappings_are_shared(void)
{
    uint64_t now = kernel_mappings();

    if (now == shared.mappings)
        return false;
    if (memory_is_shared())
        return true;
    shared.mappings = now;
    return false;
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

/* The capacity of a pipe that is modelled, and so is empty; else 0. */
static int pipe_capacity(int fd)
{
    int waiting = 1;

    if (!state_fork_models || !state_fork_models(fd) ||
        syscall(SYS_ioctl, fd, FIONREAD, &waiting) != 0 || waiting != 0)
        return 0;
    return (int)syscall(SYS_fcntl, fd, F_GETPIPE_SZ);
}

/* Those of the start that cannot seek are not read again in the next run, either. */
static bool descriptor_look(int fd)
{
    struct state_file file = {.fd = fd};

    if (fd < STATE_FILES_NUMBERS)
        shared.seen.open[fd / 64] |= (uint64_t)1 << (fd % 64);
    else
        shared.seen.beyond = true;
    if (state_fd_is_ours(fd))
        return true;
    file.flags = (int)syscall(SYS_fcntl, fd, F_GETFL);
    file.own_flags = (int)syscall(SYS_fcntl, fd, F_GETFD);
    file.capacity = pipe_capacity(fd);
    if (file.capacity <= 0 && !is_of_start(fd) && !is_only_read(fd, file.flags))
        return false;
    file.offset = syscall(SYS_lseek, fd, 0L, SEEK_CUR);
    if ((file.offset < 0 && file.capacity <= 0 && !is_of_start(fd)) ||
        shared.seen.count == STATE_FILES_MAX)
        return false;
    shared.seen.at[shared.seen.count++] = file;
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

    memset(&shared.seen, 0, sizeof shared.seen);
    can = descriptors_each(descriptor_look);
    if (!can)
        *why = "descriptors other than of files that are only read";
    if (can && mappings_are_shared()) {
        *why = "memory that is shared with others";
        can = false;
    }
    errno = error;
    return can;
}

const struct state_files *state_fork_seen(void)
{
    return &shared.seen;
}

bool state_fork_restores(void)
{
    bool ok = true;

    for (uint32_t i = 0; i < shared.seen.count; i++) {
        const struct state_file *file = &shared.seen.at[i];

        if (file->offset >= 0)
            ok &= syscall(SYS_lseek, file->fd, file->offset, SEEK_SET) == file->offset;
        if (file->capacity > 0 && syscall(SYS_fcntl, file->fd, F_GETPIPE_SZ) != file->capacity)
            ok &= syscall(SYS_fcntl, file->fd, F_SETPIPE_SZ, file->capacity) == file->capacity;
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
