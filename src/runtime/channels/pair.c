#include <fcntl.h>
#include <unistd.h>

#include "runtime/channels/socket.h"
#include "runtime/core/kernel.h"
#include "runtime/files/files.h"

/* Pipes, and pairs of sockets. */

#define MESSAGES_MAX 278 /* as many small ones as a UNIX socket takes with default sizes */

static void pipe_made(int fds[2], int flags)
{
    struct channel *channel = channels_channel("pipe", fds[0]);
    int ends;

    channel->capacity = (uint64_t)syscall(SYS_fcntl, fds[1], F_GETPIPE_SZ);
    for (ends = 0; ends < 2; ends++) {
        struct description *d = channels_new(DESCRIPTION_PIPE);

        *(ends ? &d->out : &d->in) = channel;
        d->nonblocking = flags & O_NONBLOCK;
        channels_add(fds[ends], d);
    }
}

REAL_CALL(pipe2)
INTERPOSE int pipe2(int fds[2], int flags)
{
    int got[2], result;

    if (!native.current)
        return REAL(pipe2)(fds, flags);
    result = REAL(pipe2)(got, flags);
    if (result != 0)
        return result;
    got[1] = numbers_aside(got[1]); /* its number may become somebody else's meanwhile */
    fds[0] = files_opened(got[0]);
    fds[1] = files_opened(got[1]);
    pipe_made(fds, flags);
    return 0;
}

REAL_CALL(pipe)
INTERPOSE int pipe(int fds[2])
{
    return native.current ? pipe2(fds, 0) : REAL(pipe)(fds);
}

static uint64_t option_size(int fd, int name)
{
    int value = 0;
    socklen_t size = sizeof value;

    syscall(SYS_getsockopt, fd, SOL_SOCKET, name, &value, &size);
    return value > 0 ? (uint64_t)value : 1;
}

/* Bytes of a stream: what both ends keep for it. */
static uint64_t socket_capacity(const struct description *d, int fd)
{
    if (d->type != SOCK_STREAM)
        return MESSAGES_MAX;
    return option_size(fd, SO_SNDBUF) + (d->domain == AF_UNIX ? 0 : option_size(fd, SO_RCVBUF));
}

void socket_join(struct description *a, struct description *b, const char *what, int fd)
{
    struct channel *there = channels_channel(what, fd), *back = channels_channel(what, fd);

    a->kind = b->kind = a->type == SOCK_STREAM ? DESCRIPTION_STREAM : DESCRIPTION_MESSAGES;
    there->capacity = back->capacity = socket_capacity(a, fd);
    a->out = b->in = there;
    a->in = b->out = back;
}

struct description *socket_new(int domain, int type)
{
    struct description *d = channels_new(DESCRIPTION_SOCKET);

    d->domain = domain;
    d->type = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    d->nonblocking = type & SOCK_NONBLOCK;
    return d;
}

REAL_CALL(socketpair)
INTERPOSE int socketpair(int domain, int type, int protocol, int fds[2])
{
    struct description *a, *b;
    int got[2];

    if (!native.current)
        return REAL(socketpair)(domain, type, protocol, fds);
    if (REAL(socketpair)(domain, type, protocol, got) != 0)
        return -1;
    got[1] = numbers_aside(got[1]); /* its number may become somebody else's meanwhile */
    fds[0] = files_opened(got[0]);
    fds[1] = files_opened(got[1]);
    a = socket_new(domain, type);
    b = socket_new(domain, type);
    socket_join(a, b, "socket pair", fds[0]);
    a->local.ss_family = b->local.ss_family = (sa_family_t)domain;
    a->local_size = b->local_size = a->peer_size = b->peer_size = sizeof(sa_family_t);
    a->peer = b->peer = a->local;
    channels_add(fds[0], a);
    channels_add(fds[1], b);
    return 0;
}
