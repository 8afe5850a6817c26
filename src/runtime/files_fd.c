#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "runtime/files.h"
#include "runtime/state.h"

/* Descriptors: which the program opens, closes and duplicates. */

static int opened(int fd)
{
    if (native.current && fd >= 0)
        state_fd_opened(fd);
    return fd;
}

static void opened_pair(const int *fds)
{
    opened(fds[0]);
    opened(fds[1]);
}

#define OPENS(name, parameters, arguments)                                                         \
    REAL_CALL(name)                                                                                \
    INTERPOSE int name parameters                                                                  \
    {                                                                                              \
        return opened(REAL(name) arguments);                                                       \
    }

#define OPENS_PAIR(name, parameters, arguments)                                                    \
    REAL_CALL(name)                                                                                \
    INTERPOSE int name parameters                                                                  \
    {                                                                                              \
        int result;                                                                                \
                                                                                                   \
        image_touch(fds, 2 * sizeof *fds);                                                         \
        result = REAL(name) arguments;                                                             \
        if (result == 0)                                                                           \
            opened_pair(fds);                                                                      \
        return result;                                                                             \
    }

/* ---- opening */

#define TAKES_MODE(flags) (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE)

#define OPENS_PATH(name, parameters, first)                                                        \
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
        return opened(REAL(name)(first, flags, mode));                                             \
    }

#define BOTH(a, b) a, b

OPENS_PATH(open, (const char *path, int flags, ...), path)
OPENS_PATH(open64, (const char *path, int flags, ...), path)
OPENS_PATH(openat, (int at, const char *path, int flags, ...), BOTH(at, path))
OPENS_PATH(openat64, (int at, const char *path, int flags, ...), BOTH(at, path))

int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);

OPENS(__open_2, (const char *path, int flags), (path, flags))
OPENS(__open64_2, (const char *path, int flags), (path, flags))
OPENS(__openat_2, (int at, const char *path, int flags), (at, path, flags))
OPENS(__openat64_2, (int at, const char *path, int flags), (at, path, flags))
OPENS(creat, (const char *path, mode_t mode), (path, mode))
OPENS(creat64, (const char *path, mode_t mode), (path, mode))
OPENS(mkstemp, (char *path), (path))
OPENS(mkstemp64, (char *path), (path))
OPENS(mkostemp, (char *path, int flags), (path, flags))
OPENS(mkstemps, (char *path, int suffix), (path, suffix))
OPENS(shm_open, (const char *name, int flags, mode_t mode), (name, flags, mode))
OPENS(memfd_create, (const char *name, unsigned flags), (name, flags))
OPENS(socket, (int domain, int type, int protocol), (domain, type, protocol))
OPENS(eventfd, (unsigned count, int flags), (count, flags))
OPENS(signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags))
OPENS(timerfd_create, (clockid_t clock, int flags), (clock, flags))
OPENS(epoll_create, (int size), (size))
OPENS(epoll_create1, (int flags), (flags))
OPENS(inotify_init, (void), ())
OPENS(inotify_init1, (int flags), (flags))
OPENS_PAIR(pipe, (int fds[2]), (fds))
OPENS_PAIR(pipe2, (int fds[2], int flags), (fds, flags))
OPENS_PAIR(socketpair, (int domain, int type, int protocol, int fds[2]),
           (domain, type, protocol, fds))

static void touch_peer(const struct sockaddr *address, socklen_t *size)
{
    if (!size)
        return;
    image_touch(size, sizeof *size);
    image_touch((void *)address, *size);
}

REAL_CALL(accept)
INTERPOSE int accept(int fd, __SOCKADDR_ARG from, socklen_t *restrict size)
{
    touch_peer(from.__sockaddr__, size);
    return opened(REAL(accept)(fd, from, size));
}

REAL_CALL(accept4)
INTERPOSE int accept4(int fd, __SOCKADDR_ARG from, socklen_t *restrict size, int flags)
{
    touch_peer(from.__sockaddr__, size);
    return opened(REAL(accept4)(fd, from, size, flags));
}

/* ---- duplicating and closing */

REAL_CALL(close)
INTERPOSE int close(int fd)
{
    if (native.current && state_fd_closing(fd) != 0)
        return -1;
    return REAL(close)(fd);
}

static int bad_descriptor(void)
{
    errno = EBADF;
    return -1;
}

REAL_CALL(dup)
INTERPOSE int dup(int from)
{
    int to;

    if (native.current && state_fd_is_ours(from))
        return bad_descriptor();
    to = REAL(dup)(from);
    if (native.current && to >= 0)
        state_fd_duplicated(from, to);
    return to;
}

REAL_CALL(dup3)

static int replace(int from, int to, int flags)
{
    bool replaces, done;

    if (state_fd_is_ours(from) || state_fd_is_ours(to))
        return bad_descriptor();
    replaces = state_fd_closing(to) == 0; /* else nothing was open there */
    done = REAL(dup3)(from, to, flags) == to;
    if (done)
        state_fd_duplicated(from, to);
    else if (replaces)
        state_fd_opened(to); /* it stays, and a restart must still close it */
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
    if (command == F_SETFL || command == F_SETFD)
        state_fd_flagging(fd);
    else if (command == F_GETLK || command == F_OFD_GETLK)
        image_touch(argument, sizeof(struct flock));
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
        result = REAL(name)(fd, command, argument);                                                \
        if (native.current && result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))   \
            state_fd_duplicated(fd, result);                                                       \
        return result;                                                                             \
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

static FILE *opened_stream(FILE *f)
{
    if (f)
        opened(fileno(f));
    return f;
}

#define OPENS_STREAM(name, parameters, arguments)                                                  \
    REAL_CALL(name)                                                                                \
    INTERPOSE FILE *name parameters                                                                \
    {                                                                                              \
        return opened_stream(REAL(name) arguments);                                                \
    }

OPENS_STREAM(fopen, (const char *restrict path, const char *restrict mode), (path, mode))
OPENS_STREAM(fopen64, (const char *restrict path, const char *restrict mode), (path, mode))
OPENS_STREAM(tmpfile, (void), ())
OPENS_STREAM(tmpfile64, (void), ())

/* Not a failure when there is none: a stream in memory. */
static int stream_closing(FILE *f)
{
    int fd = f ? fileno(f) : -1;

    return native.current && fd >= 0 ? state_fd_closing(fd) : 0;
}

#define REOPENS(name)                                                                              \
    REAL_CALL(name)                                                                                \
    INTERPOSE FILE *name(const char *restrict path, const char *restrict mode, FILE *restrict f)   \
    {                                                                                              \
        stream_closing(f);                                                                         \
        return opened_stream(REAL(name)(path, mode, f));                                           \
    }

REOPENS(freopen)
REOPENS(freopen64)

PASS_THROUGH(FILE *, fdopen, (int fd, const char *mode), (fd, mode), files_moving(fd))

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

    if (directory)
        opened(dirfd(directory));
    return directory;
}

REAL_CALL(closedir)
INTERPOSE int closedir(DIR *directory)
{
    if (native.current)
        state_fd_closing(dirfd(directory));
    return REAL(closedir)(directory);
}
