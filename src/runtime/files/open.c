#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "runtime/core/kernel.h"
#include "runtime/core/state.h"
#include "runtime/descriptors/descriptors.h"
#include "runtime/ending/ending.h"
#include "runtime/files/files.h"

/* Descriptors: which the program opens, closes and duplicates. */

int files_opened(int fd)
{
    fd = files_number(fd);
    state_fd_opened(fd);
    return fd;
}

static int opened(int fd)
{
    if (!native.current || fd < 0)
        return fd;
    fd = files_opened(fd);
    files_shared_opened(fd);
    return fd;
}

/* What the file holds goes, if these flags say so. That a name is made, library/paths.c notes as a step. */
static void emptying(int at, const char *path, int flags)
{
    if (flags & O_TRUNC)
        files_named(at, path, true);
}

#define OPENS(name, parameters, arguments, ...)                                                    \
    REAL_CALL(name)                                                                                \
    INTERPOSE int name parameters                                                                  \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return opened(REAL(name) arguments);                                                       \
    }

/* ---- opening */

#define TAKES_MODE(flags) (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE)

#define OPENS_PATH(name, parameters, first, at_directory)                                          \
    REAL_CALL(name)                                                                                \
    INTERPOSE int name parameters                                                                  \
    {                                                                                              \
        va_list arguments;                                                                         \
        mode_t mode = 0;                                                                           \
                                                                                                   \
        va_start(arguments, flags);                                                                \
        if (TAKES_MODE(flags))                                                                     \
            mode = va_arg(arguments, mode_t);                                                      \
        va_end(arguments);                                                                         \
        native_cancel_point();                                                                     \
        emptying(at_directory, path, flags);                                                       \
        return opened(REAL(name)(first, flags, mode));                                             \
    }

#define BOTH(a, b) a, b

OPENS_PATH(open, (const char *path, int flags, ...), path, AT_FDCWD)
OPENS_PATH(open64, (const char *path, int flags, ...), path, AT_FDCWD)
OPENS_PATH(openat, (int at, const char *path, int flags, ...), BOTH(at, path), at)
OPENS_PATH(openat64, (int at, const char *path, int flags, ...), BOTH(at, path), at)

int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);

OPENS(__open_2, (const char *path, int flags), (path, flags), emptying(AT_FDCWD, path, flags))
OPENS(__open64_2, (const char *path, int flags), (path, flags), emptying(AT_FDCWD, path, flags))
OPENS(__openat_2, (int at, const char *path, int flags), (at, path, flags),
      emptying(at, path, flags))
OPENS(__openat64_2, (int at, const char *path, int flags), (at, path, flags),
      emptying(at, path, flags))
OPENS(creat, (const char *path, mode_t mode), (path, mode), native_cancel_point();
      files_named(AT_FDCWD, path, true))
OPENS(creat64, (const char *path, mode_t mode), (path, mode), native_cancel_point();
      files_named(AT_FDCWD, path, true))
OPENS(shm_open, (const char *name, int flags, mode_t mode), (name, flags, mode))
OPENS(memfd_create, (const char *name, unsigned flags), (name, flags))

/* Descriptors on which a thread would wait for what is not modelled: to wait for one is named. */
static int opened_other(int fd, const char *what, int flags)
{
    struct description *d;

    if (!native.current || fd < 0)
        return fd;
    fd = files_opened(fd);
    d = channels_new(DESCRIPTION_OTHER);
    d->in = channels_channel(what, fd);
    d->nonblocking = flags & O_NONBLOCK;
    channels_add(fd, d);
    return fd;
}

#define OPENS_OTHER(name, parameters, arguments, what, flags)                                      \
    REAL_CALL(name)                                                                                \
    INTERPOSE int name parameters                                                                  \
    {                                                                                              \
        return opened_other(REAL(name) arguments, what, flags);                                    \
    }

OPENS_OTHER(timerfd_create, (clockid_t clock, int flags), (clock, flags), "timerfd", flags)
OPENS_OTHER(inotify_init, (void), (), "inotify descriptor", 0)
OPENS_OTHER(inotify_init1, (int flags), (flags), "inotify descriptor", flags)

REAL_CALL(signalfd)
INTERPOSE int signalfd(int fd, const sigset_t *set, int flags)
{
    int got = REAL(signalfd)(fd, set, flags);

    return fd == got ? got : opened_other(got, "signalfd", flags);
}

/* ---- duplicating and closing */

static int bad_descriptor(void)
{
    errno = EBADF;
    return -1;
}

REAL_CALL(close)
INTERPOSE int close(int fd)
{
    struct description *rest = NULL;
    int result, error;

    native_cancel_point();
    if (native.current && (!channels_close(fd, false, &rest) || state_fd_closing(fd) != 0))
        return bad_descriptor();
    result = REAL(close)(fd); /* at once: the number is free for others */
    error = errno;
    files_shared_closed(fd);
    channels_let_go(rest);
    errno = error;
    return result;
}

static int duplicated(int from, int to)
{
    state_fd_duplicated(from, to);
    files_shared_copied(from, to);
    channels_duplicate(from, to);
    return to;
}

/* A duplicate that has no number yet. Who closes `from` meanwhile does not take it away. */
static int duplicated_from(int from, int fd, int first)
{
    int aside = numbers_aside(fd), to;
    struct description *held;

    state_fd_moving(from); /* they share one offset */
    state_fd_opened(aside);
    files_shared_copied(from, aside);
    held = channels_hold(from);
    to = files_number_from(aside, first);
    state_fd_opened(to);
    if (to != aside) {
        files_shared_copied(aside, to);
        files_shared_closed(aside);
    }
    channels_held(to, held);
    return to;
}

REAL_CALL(dup)
INTERPOSE int dup(int from)
{
    int to;

    if (native.current && state_fd_is_ours(from))
        return bad_descriptor();
    if (native.current)
        channels_use(from);
    to = REAL(dup)(from);
    return native.current && to >= 0 ? duplicated_from(from, to, 0) : to;
}

REAL_CALL(dup3)

static int replace(int from, int to, int flags)
{
    struct description *rest;
    bool replaces, done;
    uint32_t version;

    if (state_fd_is_ours(from) || state_fd_is_ours(to))
        return bad_descriptor();
    if (to < 0 || syscall(SYS_fcntl, from, F_GETFD) < 0)
        return bad_descriptor();
    channels_use(from);
    version = channels_version(from);
    if (to <= STDERR_FILENO && channels_find(from))
        native_unsupported("a standard stream that is redirected to a pipe or socket");
    channels_close(to, true, &rest);
    if (channels_version(from) != version)
        native_unsupported("a descriptor that one thread closes while another duplicates it");
    replaces = state_fd_closing(to) == 0; /* else nothing was open there */
    done = REAL(dup3)(from, to, flags) == to;
    if (done || replaces)
        state_fd_opened(to); /* a restart closes what is there now */
    files_shared_closed(to);
    if (done)
        duplicated(from, to);
    channels_let_go(rest);
    return done ? to : -1;
}

REAL_CALL(dup2)
INTERPOSE int dup2(int from, int to)
{
    return native.current && from != to ? replace(from, to, 0) : REAL(dup2)(from, to);
}

INTERPOSE int dup3(int from, int to, int flags)
{
    return native.current && from != to ? replace(from, to, flags) : REAL(dup3)(from, to, flags);
}

static void control_note(int fd, int command, void *argument)
{
    struct description *d;

    if (command == F_SETFL || command == F_SETPIPE_SZ || command == F_SETFD) {
        d = channels_find(fd) ? channels_change(fd) : NULL;
        if (d && command == F_SETFL)
            channels_flagging(d, (intptr_t)argument & O_NONBLOCK);
        if (!d)
            files_shared(fd, true, true);
    } else if (command == F_GETFL || command == F_GETFD) {
        if (!channels_or_file(fd))
            files_shared(fd, false, true);
    } else {
        channels_use(fd);
    }
    if (command == F_SETFL || command == F_SETFD)
        state_fd_flagging(fd);
}

static int control_done(int fd, int command, const void *argument, int result)
{
    struct description *d;

    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        return duplicated_from(fd, result, (int)(intptr_t)argument);
    d = channels_find(fd);
    if (d && command == F_SETFL)
        d->nonblocking = (intptr_t)argument & O_NONBLOCK;
    else if (d && command == F_SETPIPE_SZ && d->kind == DESCRIPTION_PIPE)
        (d->in ? d->in : d->out)->capacity = (uint64_t)result;
    return result;
}

/* The kernel's pipe is empty: what it holds is ours. */
static bool pipe_is_fuller(int fd, int command, const void *argument)
{
    const struct description *d = channels_find(fd);
    const struct channel *pipe;

    if (command != F_SETPIPE_SZ || !d || d->kind != DESCRIPTION_PIPE)
        return false;
    if (!native.alone)
        native_unsupported("F_SETPIPE_SZ while there are other threads");
    pipe = d->in ? d->in : d->out;
    return (intptr_t)argument > 0 && pipe->used > ((uintptr_t)argument + 4095) / 4096 * 4096;
}

/* What the kernel cannot say. */
static bool control_here(int fd, int command, void *argument, int *result)
{
    if (pipe_is_fuller(fd, command, argument)) {
        *result = channels_fail(EBUSY);
        return true;
    }
    return files_lock_control(fd, command, argument, result);
}

#define CONTROL(name)                                                                              \
    REAL_CALL(name)                                                                                \
    INTERPOSE int name(int fd, int command, ...)                                                   \
    {                                                                                              \
        va_list arguments;                                                                         \
        void *argument;                                                                            \
        int result;                                                                                \
                                                                                                   \
        va_start(arguments, command);                                                              \
        argument = va_arg(arguments, void *);                                                      \
        va_end(arguments);                                                                         \
        if (native.current)                                                                        \
            control_note(fd, command, argument);                                                   \
        request_begin(REQUEST_FCNTL, (unsigned long)command, argument);                            \
        if (native.current && control_here(fd, command, argument, &result))                        \
            return result;                                                                         \
        result = REAL(name)(fd, command, argument);                                                \
        request_end(REQUEST_FCNTL, (unsigned long)command, argument, result);                      \
        return native.current && result >= 0 ? control_done(fd, command, argument, result)         \
                                             : result;                                             \
    }

CONTROL(fcntl)
CONTROL(fcntl64)

/* A range would take ours with it. */
NOT_MODELLED(int, close_range, (unsigned first, unsigned last, int flags), (first, last, flags),
             ENOSYS, -1)

REAL_CALL(closefrom)
INTERPOSE void closefrom(int first)
{
    if (native.current)
        native_unsupported("closefrom");
    else
        REAL(closefrom)(first);
}

/* ---- streams and directories: libc opens and closes by calls of its own */

static int mode_flags(const char *mode)
{
    return *mode == 'w' ? O_CREAT | O_TRUNC : *mode == 'a' ? O_CREAT : 0;
}

static FILE *opened_stream(FILE *f)
{
    if (f)
        f->_fileno = opened(f->_fileno);
    return f;
}

#define OPENS_STREAM(name, parameters, arguments, ...)                                             \
    REAL_CALL(name)                                                                                \
    INTERPOSE FILE *name parameters                                                                \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return opened_stream(REAL(name) arguments);                                                \
    }

OPENS_STREAM(fopen, (const char *restrict path, const char *restrict mode), (path, mode),
             emptying(AT_FDCWD, path, mode_flags(mode)))
OPENS_STREAM(fopen64, (const char *restrict path, const char *restrict mode), (path, mode),
             emptying(AT_FDCWD, path, mode_flags(mode)))
OPENS_STREAM(tmpfile, (void), ())
OPENS_STREAM(tmpfile64, (void), ())

#define STREAM_NO_WRITES 8 /* in FILE._flags of glibc, which its headers do not name any more */

void files_stream(const FILE *stream)
{
    if (native.current && stream->_fileno > STDERR_FILENO && !channels_find(stream->_fileno))
        files_shared(stream->_fileno, !(stream->_flags & STREAM_NO_WRITES), true);
}

/* Not a failure when there is none: a stream in memory. */
static int stream_closing(FILE *f)
{
    int fd = f ? fileno(f) : -1;
    struct description *rest;

    if (!native.current || fd < 0 || channels_find(fd)) /* that one closes it itself */
        return 0;
    files_shared(fd, !(f->_flags & STREAM_NO_WRITES),
                 true); /* what was not written yet goes there now */
    channels_close(fd, false, &rest);
    files_shared_closed(fd);
    channels_let_go(rest);
    return state_fd_closing(fd);
}

#define REOPENS(name)                                                                              \
    REAL_CALL(name)                                                                                \
    INTERPOSE FILE *name(const char *restrict path, const char *restrict mode, FILE *restrict f)   \
    {                                                                                              \
        stream_closing(f);                                                                         \
        emptying(AT_FDCWD, path, mode_flags(mode));                                                \
        return opened_stream(REAL(name)(path, mode, f));                                           \
    }

REOPENS(freopen)
REOPENS(freopen64)

REAL_CALL(fclose)
INTERPOSE int fclose(FILE *f)
{
    if (stream_closing(f) != 0)
        return EOF;
    return REAL(fclose)(f);
}

REAL_CALL(opendir)
INTERPOSE DIR *opendir(const char *path)
{
    DIR *directory = REAL(opendir)(path);

    if (directory) /* where glibc keeps it, first of all */
        *(int *)directory = opened(dirfd(directory));
    return directory;
}

REAL_CALL(closedir)
INTERPOSE int closedir(DIR *directory)
{
    struct description *rest;

    if (native.current) {
        channels_close(dirfd(directory), false, &rest);
        state_fd_closing(dirfd(directory));
    }
    return REAL(closedir)(directory);
}

/* ---- sizes */

#define TRUNCATES(suffix)                                                                          \
    PASS_THROUGH(int, truncate##suffix, (const char *path, off_t size), (path, size),              \
                 files_named(AT_FDCWD, path, true))                                                \
    PASS_THROUGH(int, ftruncate##suffix, (int fd, off_t size), (fd, size), channels_or_file(fd);   \
                 files_shared(fd, true, false))

TRUNCATES()
TRUNCATES(64)
