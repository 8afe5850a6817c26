#include <errno.h>
#include <fcntl.h>
#include <sys/time.h>

#include "runtime/channels/memory.h"
#include "runtime/channels/outside.h"
#include "runtime/channels/socket.h"
#include "runtime/core/kernel.h"
#include "runtime/ending/ending.h"
#include "runtime/files/files.h"

/* Sockets: listening, accepting, connecting, and their options. */

static bool is_modelled(int domain, int type)
{
    type &= ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (domain == AF_UNIX)
        return type == SOCK_STREAM || type == SOCK_SEQPACKET;
    return (domain == AF_INET || domain == AF_INET6) && type == SOCK_STREAM;
}

REAL_CALL(socket)
INTERPOSE int socket(int domain, int type, int protocol)
{
    int fd = REAL(socket)(domain, type, protocol);

    if (!native.current || fd < 0)
        return fd;
    fd = files_opened(fd);
    if (is_modelled(domain, type))
        channels_add(fd, socket_new(domain, type));
    else
        native_unsupported("sockets that are neither TCP nor connected UNIX sockets");
    return fd;
}

/* ---- listening and accepting */

/* Connections that nobody has accepted. */
static void listener_gone(struct description *d)
{
    struct channel *queue = d->in;

    while (queue->first_connection < queue->connections.count)
        channels_drop(queue->connections.at[queue->first_connection++]);
}

REAL_CALL(listen)
INTERPOSE int listen(int fd, int backlog)
{
    struct description *d = native.current ? channels_use(fd) : NULL;
    uint64_t most = CHANNEL_HOLDERS - 1;

    if (!d || (d->kind != DESCRIPTION_SOCKET && d->kind != DESCRIPTION_LISTENER))
        return REAL(listen)(fd, backlog);
    if (!d->bound && REAL(listen)(fd, backlog) == 0)
        address_note_local(d, fd); /* the system has chosen an address */
    if (!d->bound)
        return -1;
    if (backlog >= 0 && (uint64_t)backlog < most)
        most = (uint64_t)backlog;
    if (!d->in)
        d->in = channels_queue(address_queue((struct sockaddr *)&d->local, d->local_size), fd);
    channels_ask(OP_CHANNEL_LISTEN, d->in->name, most, 0, CHANNEL_QUEUE);
    d->kind = DESCRIPTION_LISTENER;
    d->gone = listener_gone;
    return REAL(listen)(fd, backlog);
}

/* A descriptor for a connection that the kernel does not know. */
static int connection_number(const struct description *d, int flags)
{
    int fd = (int)syscall(SYS_socket, d->domain, d->type | flags, 0);

    return fd < 0 ? fd : files_opened(fd);
}

static struct description *connection_from_outside(struct description *d, int fd, int flags,
                                                   int *number)
{
    struct description *end = socket_new(d->domain, d->type | (flags & SOCK_NONBLOCK));

    *number = outside_accept(fd, &end->peer, &end->peer_size);
    if (*number < 0)
        return NULL;
    if (flags & SOCK_CLOEXEC)
        syscall(SYS_fcntl, *number, F_SETFD, FD_CLOEXEC);
    *number = files_opened(*number);
    address_note_local(end, *number);
    outside_begin(end, *number);
    return end;
}

/* From a queue that others can come to, too: whoever of the program is in it goes first. */
static struct description *queue_take(struct description *d, int fd, int flags, int *number)
{
    struct world *world = native.world;
    bool waits = !d->nonblocking && !d->timed_in;
    int64_t got;

    if (!outside_comes_to(d->in->name)) {
        d->busy++;
        got = (d->timed_in && !d->nonblocking ? channels_ask_timed : channels_ask)(
            waits ? OP_CHANNEL_GET : OP_CHANNEL_TRYGET, d->in->name, 1, 0,
            CHANNEL_QUEUE | (waits ? channels_cancellable() : 0));
        d->busy--;
        if (got == -ECANCELED)
            native_cancel_point();
        if (got < 0) {
            errno = (int)-got;
            return NULL;
        }
    } else {
        loc_id loc = world_location(world, OBJECT_CHANNEL, d->in->name);

        channels_ask(OP_CHANNEL_USE, d->in->name, 0, 0, 0);
        if (channel_units(world_state(world, loc)) == 0)
            return connection_from_outside(d, fd, flags, number);
        world_object_set(world, OBJECT_CHANNEL, d->in->name, world_state(world, loc) - 1);
    }
    *number = connection_number(d, flags);
    return d->in->connections.at[d->in->first_connection++];
}

static int accept_from(struct description *d, int fd, struct sockaddr *from, socklen_t *size,
                       int flags)
{
    struct description *end;
    int number = -1;

    if (d->kind != DESCRIPTION_LISTENER)
        return channels_fail(d->kind == DESCRIPTION_PIPE || d->kind == DESCRIPTION_COUNTER ||
                                     d->kind == DESCRIPTION_SET
                                 ? ENOTSOCK
                                 : EINVAL);
    if (flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC))
        return channels_fail(EINVAL);
    end = queue_take(d, fd, flags, &number);
    if (!end || number < 0)
        return -1;
    end->nonblocking = flags & SOCK_NONBLOCK;
    if (end->in)
        end->in->fd = number;
    channels_add(number, end);
    address_tell(&end->peer, end->peer_size, from, size);
    return number;
}

REAL_CALL(accept4)
INTERPOSE int accept4(int fd, __SOCKADDR_ARG from, socklen_t *restrict size, int flags)
{
    struct description *d;
    socklen_t room;

    if (native.current)
        native_cancel_point();
    d = native.current ? channels_use(fd) : NULL;
    if (d)
        return accept_from(d, fd, from.__sockaddr__, size, flags);
    room = memory_room(from.__sockaddr__, size);
    fd = REAL(accept4)(fd, from, size, flags);
    if (fd >= 0)
        memory_told(from.__sockaddr__, size, room);
    return native.current && fd >= 0 ? files_opened(fd) : fd;
}

REAL_CALL(accept)
INTERPOSE int accept(int fd, __SOCKADDR_ARG from, socklen_t *restrict size)
{
    return native.current ? accept4(fd, from, size, 0) : REAL(accept)(fd, from, size);
}

/* ---- connecting */

static void connect_inside(struct description *d, int fd, struct channel *queue,
                           const struct sockaddr *to, socklen_t size)
{
    struct description *end = socket_new(d->domain, d->type);

    address_invent_local(d, to, size);
    address_copy(&d->peer, &d->peer_size, to, size);
    end->peer = d->local;
    end->peer_size = d->local_size;
    end->local = d->peer;
    end->local_size = d->peer_size;
    end->bound = true;
    socket_join(d, end, d->domain == AF_UNIX ? "UNIX connection" : "TCP connection", fd);
    channels_connection(queue, end);
}

static int connect_to(struct description *d, int fd, const struct sockaddr *to, socklen_t size)
{
    uint64_t name = address_queue(to, size);
    bool waits = !d->nonblocking && !d->timed_out;
    int64_t got;

    if (!name)
        return channels_fail(EAFNOSUPPORT);
    d->busy++;
    got = (d->timed_out && !d->nonblocking ? channels_ask_timed : channels_ask)(
        waits ? OP_CHANNEL_PUT : OP_CHANNEL_TRYPUT, name, 1, 0,
        CHANNEL_QUEUE | (waits ? channels_cancellable() : 0));
    d->busy--;
    if (got == -ECANCELED)
        native_cancel_point();
    if (got == -ECONNREFUSED)
        return outside_connect(d, fd, to, size);
    if (got < 0)
        return channels_fail((int)-got);
    connect_inside(d, fd, channels_queue(name, fd), to, size);
    d->connecting = d->nonblocking && d->domain != AF_UNIX;
    return d->connecting ? channels_fail(EINPROGRESS) : 0;
}

REAL_CALL(connect)
INTERPOSE int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t size)
{
    struct description *d;

    if (native.current)
        native_cancel_point();
    d = native.current ? channels_use(fd) : NULL;
    if (!d)
        return REAL(connect)(fd, to, size);
    if (d->connecting) {
        d->connecting = false;
        return 0;
    }
    if (d->kind != DESCRIPTION_SOCKET)
        return channels_fail(d->kind == DESCRIPTION_PIPE || d->kind == DESCRIPTION_COUNTER ||
                                     d->kind == DESCRIPTION_SET
                                 ? ENOTSOCK
                                 : EISCONN);
    return connect_to(d, fd, to.__sockaddr__, size);
}

/* ---- the rest */

REAL_CALL(shutdown)
INTERPOSE int shutdown(int fd, int how)
{
    struct description *d = native.current ? channels_use(fd) : NULL;
    struct op op = native_op(OP_CHANNEL_SHUT, NULL);

    if (!d || d->kind == DESCRIPTION_OUTSIDE)
        return REAL(shutdown)(fd, how);
    if (how < SHUT_RD || how > SHUT_RDWR)
        return channels_fail(EINVAL);
    if (d->kind == DESCRIPTION_LISTENER) {
        channels_ask(OP_CHANNEL_SET, d->in->name, 0, 0, 0);
        return REAL(shutdown)(fd, how);
    }
    if (d->kind != DESCRIPTION_STREAM && d->kind != DESCRIPTION_MESSAGES)
        return channels_fail(d->kind == DESCRIPTION_SOCKET ? ENOTCONN : ENOTSOCK);
    op.addr = d->out->name;
    op.mutex = d->in->name;
    op.value = (unsigned)how + 1;
    native_ask(&op);
    return 0;
}

REAL_CALL(getsockopt)
INTERPOSE int getsockopt(int fd, int level, int name, void *restrict to, socklen_t *restrict size)
{
    socklen_t room;
    int result;

    if (native.current)
        channels_use(fd);
    room = memory_room(to, size);
    result = REAL(getsockopt)(fd, level, name, to, size);
    if (result == 0)
        memory_told(to, size, room);
    return result;
}

static void timeout_note(struct description *d, int name, const void *value, socklen_t size)
{
    struct timeval time = {0};

    if (size < sizeof time)
        return;
    memcpy(&time, value, sizeof time);
    *(name == SO_RCVTIMEO ? &d->timed_in : &d->timed_out) = time.tv_sec || time.tv_usec;
}

REAL_CALL(setsockopt)
INTERPOSE int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
    struct description *d = native.current ? channels_change(fd) : NULL;
    int result = REAL(setsockopt)(fd, level, name, value, size);

    if (d && result == 0 && level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO))
        timeout_note(d, name, value, size);
    return result;
}
