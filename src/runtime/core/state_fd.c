#include "runtime/core/state_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/vec.h"
#include "runtime/core/kernel.h"
#include "runtime/core/state.h"

#define FD_MAX        (1 << 20) /* the kernel's default for fs.nr_open */
#define FD_OURS_FIRST 900       /* where descriptors of ours go, if the limit allows */

/* What is known of a descriptor number. All zeros: of the start or closed, and never mentioned. */
enum fd_flag {
    /* of this execution; forgotten at a restart */
    FD_LISTED = 1,   /* is in `changed` */
    FD_OPENED = 2,   /* what it stands for now was opened by the program */
    FD_CLOSED = 4,   /* that of the start was closed or replaced */
    FD_MOVED = 8,    /* that of the start may have another offset */
    FD_FLAGGED = 16, /* that of the start may have other flags */
    /* of the start; kept */
    FD_HAS_COPY = 32,
    FD_HAS_OFFSET = 64,
    FD_NO_OFFSET = 128, /* it cannot seek */
    FD_HAS_FLAGS = 256,
    FD_OURS = 512,
};

#define FD_OF_EXECUTION (FD_LISTED | FD_OPENED | FD_CLOSED | FD_MOVED | FD_FLAGGED)

struct fd_state {
    uint32_t flags;
    int copy;       /* a duplicate that keeps it open */
    int file_flags; /* F_GETFL */
    int own_flags;  /* F_GETFD */
    int64_t offset;
};

static struct {
    struct arena arena;
    VEC(struct fd_state) fds; /* by number */
    VEC(int) changed;         /* numbers with flags of this execution */
} state_fd; /* outlives a run: it is how things were at the start; state_fd_restart forgets the rest */

bool state_fd_is_changed(void)
{
    return state_fd.changed.count != 0;
}

/* The entry of `fd`, NULL for what is no descriptor or before state_fd_save. */
static struct fd_state *fd_entry(int fd)
{
    if (!state_fd.arena.base || fd < 0 || fd >= FD_MAX)
        return NULL;
    while (state_fd.fds.count <= (uint32_t)fd)
        vec_push(&state_fd.arena, &state_fd.fds, (struct fd_state){0});
    return &state_fd.fds.at[fd];
}

static void fd_change(int fd, struct fd_state *entry, uint32_t flags)
{
    if (!(entry->flags & FD_LISTED))
        vec_push(&state_fd.arena, &state_fd.changed, fd);
    entry->flags |= FD_LISTED | flags;
}

int state_fd_save(void)
{
    return arena_open(&state_fd.arena, (size_t)256 << 20);
}

/* A duplicate in the upper range, so that the numbers that the program gets are those it would get
 * without us. */
static int fd_keep(int fd)
{
    struct rlimit limit = {0};
    long kept = -1;

    syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
    if (limit.rlim_cur > FD_OURS_FIRST)
        kept = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, FD_OURS_FIRST);
    else if (limit.rlim_cur > 16)
        kept = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, limit.rlim_cur - 16);
    if (kept >= 0)
        state_fd_reserve((int)kept);
    return (int)kept;
}

int state_fd_take(int fd)
{
    int kept = fd_keep(fd);

    if (kept >= 0)
        syscall(SYS_close, fd);
    return kept;
}

void state_fd_reserve(int fd)
{
    struct fd_state *entry = fd_entry(fd);

    if (entry)
        entry->flags |= FD_OURS;
}

bool state_fd_is_ours(int fd)
{
    return fd >= 0 && (uint32_t)fd < state_fd.fds.count && state_fd.fds.at[fd].flags & FD_OURS;
}

void state_fd_opened(int fd)
{
    struct fd_state *entry = fd_entry(fd);

    if (entry)
        fd_change(fd, entry, FD_OPENED);
}

void state_fd_duplicated(int from, int to)
{
    if (from == to)
        return;            /* dup2 of a descriptor to itself does nothing */
    state_fd_moving(from); /* they share one offset */
    state_fd_opened(to);
}

int state_fd_closing(int fd)
{
    struct fd_state *entry = fd_entry(fd);
    int kept;

    if (!entry)
        return 0;
    if (entry->flags & FD_OURS) {
        errno = EBADF;
        return -1;
    }
    if (entry->flags & FD_OPENED) {
        entry->flags &= ~(uint32_t)FD_OPENED;
        return 0;
    }
    if (!(entry->flags & (FD_HAS_COPY | FD_CLOSED))) {
        state_fd_flagging(fd);
        kept = fd_keep(fd); /* grows `fds`: the entry may move */
        if (kept < 0)
            return -1;
        entry = fd_entry(fd);
        entry->copy = kept;
        entry->flags |= FD_HAS_COPY;
    }
    fd_change(fd, entry, FD_CLOSED);
    return 0;
}

/* The entry of a descriptor that is of the start and not ours, else NULL. */
static struct fd_state *fd_of_start(int fd)
{
    struct fd_state *entry = fd_entry(fd);

    return entry && !(entry->flags & (FD_OPENED | FD_CLOSED | FD_OURS)) ? entry : NULL;
}

bool state_fd_is_of_start(int fd)
{
    return fd_of_start(fd) != NULL;
}

bool state_fd_moving(int fd)
{
    struct fd_state *entry = fd_of_start(fd);

    if (!entry)
        return true;
    if (!(entry->flags & (FD_HAS_OFFSET | FD_NO_OFFSET))) {
        entry->offset = syscall(SYS_lseek, fd, 0L, SEEK_CUR);
        if (entry->offset < 0 && errno == EBADF)
            return true; /* not open */
        entry->flags |= entry->offset >= 0 ? FD_HAS_OFFSET : FD_NO_OFFSET;
    }
    if (entry->flags & FD_NO_OFFSET)
        return false;
    fd_change(fd, entry, FD_MOVED);
    return true;
}

void state_fd_flagging(int fd)
{
    struct fd_state *entry = fd_of_start(fd);

    if (!entry)
        return;
    if (!(entry->flags & FD_HAS_FLAGS)) {
        entry->file_flags = (int)syscall(SYS_fcntl, fd, F_GETFL);
        entry->own_flags = (int)syscall(SYS_fcntl, fd, F_GETFD);
        if (entry->own_flags < 0)
            return; /* not open */
        entry->flags |= FD_HAS_FLAGS;
    }
    fd_change(fd, entry, FD_FLAGGED);
}

static bool fd_restore(int fd, struct fd_state *entry)
{
    bool ok = true;

    if (entry->flags & FD_CLOSED)
        ok =
            syscall(SYS_dup3, entry->copy, fd, entry->own_flags & FD_CLOEXEC ? O_CLOEXEC : 0) == fd;
    else if (entry->flags & FD_OPENED)
        syscall(SYS_close, fd);
    if (entry->flags & FD_MOVED)
        ok &= syscall(SYS_lseek, fd, entry->offset, SEEK_SET) == entry->offset;
    if (entry->flags & FD_FLAGGED) {
        ok &= !syscall(SYS_fcntl, fd, F_SETFL, entry->file_flags);
        ok &= !syscall(SYS_fcntl, fd, F_SETFD, entry->own_flags);
    }
    return ok;
}

bool state_fd_restart(void)
{
    bool ok = true;

    for (uint32_t i = 0; i < state_fd.changed.count; i++) {
        struct fd_state *entry = &state_fd.fds.at[state_fd.changed.at[i]];

        ok &= fd_restore(state_fd.changed.at[i], entry);
        entry->flags &= ~(uint32_t)FD_OF_EXECUTION;
    }
    state_fd.changed.count = 0;
    return ok;
}
