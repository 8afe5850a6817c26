#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "runtime/channels.h"
#include "runtime/files.h"
#include "runtime/kernel.h"
#include "runtime/outside.h"
#include "runtime/state.h"

/* Pipes, pairs, and sockets. What the program connects to itself never goes through the kernel, which keeps the names and
 * options. */

#define MESSAGES_MAX 278 /* as many small ones as a UNIX socket takes with default sizes */

/* ---- pipes and pairs */

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

static void join(struct description *a, struct description *b, const char *what, int fd)
{
    struct channel *there = channels_channel(what, fd), *back = channels_channel(what, fd);

    a->kind = b->kind = a->type == SOCK_STREAM ? DESCRIPTION_STREAM : DESCRIPTION_MESSAGES;
    there->capacity = back->capacity = socket_capacity(a, fd);
    a->out = b->in = there;
    a->in = b->out = back;
}

static struct description *socket_new(int domain, int type)
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
    fds[0] = files_opened(got[0]);
    fds[1] = files_opened(got[1]);
    a = socket_new(domain, type);
    b = socket_new(domain, type);
    join(a, b, "socket pair", fds[0]);
    a->local.ss_family = b->local.ss_family = (sa_family_t)domain;
    a->local_size = b->local_size = a->peer_size = b->peer_size = sizeof(sa_family_t);
    a->peer = b->peer = a->local;
    channels_add(fds[0], a);
    channels_add(fds[1], b);
    return 0;
}

/* ---- sockets and their addresses */

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

static uint64_t bytes_hash(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t hash = size;

    for (size_t i = 0; i < size; i++)
        hash = mix64(hash ^ at[i]);
    return hash;
}

/* The queue at an address. A port is a port, whatever the address of the machine. 0: no such address. */
static uint64_t queue_name(const struct sockaddr *address, socklen_t size)
{
    uint64_t hash;

    if (!address || size < sizeof(sa_family_t))
        return 0;
    if (address->sa_family == AF_INET && size >= sizeof(struct sockaddr_in))
        hash = ((const struct sockaddr_in *)address)->sin_port;
    else if (address->sa_family == AF_INET6 && size >= sizeof(struct sockaddr_in6))
        hash = ((const struct sockaddr_in6 *)address)->sin6_port;
    else if (address->sa_family == AF_UNIX) {
        const struct sockaddr_un *un = (const struct sockaddr_un *)address;
        size_t length = size - offsetof(struct sockaddr_un, sun_path);

        if (length && un->sun_path[0])
            length = strnlen(un->sun_path, length);
        hash = bytes_hash(un->sun_path, length) | 1 << 16;
    } else {
        return 0;
    }
    return CHANNELS_BY_ADDRESS | (hash & CHANNELS_NAME_MASK);
}

static void address_copy(struct sockaddr_storage *to, socklen_t *to_size,
                         const struct sockaddr *from, socklen_t size)
{
    if (size > sizeof *to)
        size = sizeof *to;
    memset(to, 0, sizeof *to);
    memcpy(to, from, size);
    *to_size = size;
}

static int address_tell(const struct sockaddr_storage *address, socklen_t known,
                        struct sockaddr *to, socklen_t *size)
{
    if (!to || !size)
        return 0;
    memcpy(to, address, known < *size ? known : *size);
    *size = known;
    return 0;
}

static uint16_t *port_of(struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET)
        return &((struct sockaddr_in *)address)->sin_port;
    return address->ss_family == AF_INET6 ? &((struct sockaddr_in6 *)address)->sin6_port : NULL;
}

static void local_note(struct description *d, int fd)
{
    socklen_t size = sizeof d->local;

    memset(&d->local, 0, sizeof d->local);
    if (syscall(SYS_getsockname, fd, &d->local, &size) == 0)
        d->local_size = size;
    d->bound = true;
}

/* Any port: the same one in each execution, by who asks and how often it has asked. */
static int bind_any(int fd, struct sockaddr_storage *address, socklen_t size)
{
    uint64_t key = mix64(channels_name() ^ (uint64_t)'p' << 56);
    uint32_t known = channels_recall(key);
    int result;

    if (known != MAP_ABSENT) {
        *port_of(address) = (uint16_t)known;
        if (syscall(SYS_bind, fd, address, size) == 0)
            return 0;
        *port_of(address) = 0;
    }
    result = (int)syscall(SYS_bind, fd, address, size);
    if (result == 0 && syscall(SYS_getsockname, fd, address, &size) == 0 && known == MAP_ABSENT)
        channels_remember(key, *port_of(address));
    return result;
}

/* The next execution binds to the same place, where connections of this one may still be dying. */
static int bind_again(int fd, const struct sockaddr *to, socklen_t size)
{
    struct sockaddr_storage address;
    int on = 1;

    address_copy(&address, &size, to, size);
    if (to->sa_family == AF_UNIX) {
        int result = (int)syscall(SYS_bind, fd, to, size);

        if (result == 0 && size > sizeof(sa_family_t) && ((const char *)to)[2])
            channels_made_path(((const struct sockaddr_un *)to)->sun_path,
                               size - offsetof(struct sockaddr_un, sun_path));
        return result;
    }
    syscall(SYS_setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (port_of(&address) && *port_of(&address) == 0)
        return bind_any(fd, &address, size);
    return (int)syscall(SYS_bind, fd, to, size);
}

REAL_CALL(bind)
INTERPOSE int bind(int fd, __CONST_SOCKADDR_ARG to, socklen_t size)
{
    struct description *d = native.current ? channels_use(fd) : NULL;
    uint64_t name;

    if (!d || !to.__sockaddr__ || size < sizeof(sa_family_t))
        return REAL(bind)(fd, to, size);
    name = queue_name(to.__sockaddr__, size);
    if (name && !native.alone)
        channels_ask(OP_CHANNEL_USE, name, 0, 0, 0);
    if (bind_again(fd, to.__sockaddr__, size) != 0)
        return -1;
    local_note(d, fd);
    return 0;
}

/* ---- listening and accepting */

REAL_CALL(listen)
INTERPOSE int listen(int fd, int backlog)
{
    struct description *d = native.current ? channels_use(fd) : NULL;
    uint64_t most = CHANNEL_HOLDERS - 1;

    if (!d || (d->kind != DESCRIPTION_SOCKET && d->kind != DESCRIPTION_LISTENER))
        return REAL(listen)(fd, backlog);
    if (!d->bound && REAL(listen)(fd, backlog) == 0)
        local_note(d, fd); /* the system has chosen an address */
    if (!d->bound)
        return -1;
    if (backlog >= 0 && (uint64_t)backlog < most)
        most = (uint64_t)backlog;
    if (!d->in)
        d->in = channels_queue(queue_name((struct sockaddr *)&d->local, d->local_size), fd);
    channels_ask(OP_CHANNEL_LISTEN, d->in->name, most, 0, CHANNEL_QUEUE);
    d->kind = DESCRIPTION_LISTENER;
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
    local_note(end, *number);
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
        got = channels_ask(waits ? OP_CHANNEL_GET : OP_CHANNEL_TRYGET, d->in->name, 1, 0,
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

static void touch_peer(const struct sockaddr *address, socklen_t *size)
{
    if (!size || !native.current)
        return;
    image_touch(size, sizeof *size);
    image_touch((void *)address, *size);
}

REAL_CALL(accept4)
INTERPOSE int accept4(int fd, __SOCKADDR_ARG from, socklen_t *restrict size, int flags)
{
    struct description *d;

    if (native.current)
        native_cancel_point();
    d = native.current ? channels_use(fd) : NULL;
    if (d)
        return accept_from(d, fd, from.__sockaddr__, size, flags);
    touch_peer(from.__sockaddr__, size);
    fd = REAL(accept4)(fd, from, size, flags);
    return native.current && fd >= 0 ? files_opened(fd) : fd;
}

REAL_CALL(accept)
INTERPOSE int accept(int fd, __SOCKADDR_ARG from, socklen_t *restrict size)
{
    return native.current ? accept4(fd, from, size, 0) : REAL(accept)(fd, from, size);
}

void channels_socket_gone(struct description *d)
{
    struct channel *queue = d->in;

    if (d->kind != DESCRIPTION_LISTENER)
        return;
    while (queue->first_connection < queue->connections.count)
        channels_drop(queue->connections.at[queue->first_connection++]);
}

/* ---- connecting */

/* An address for a socket that was bound to none: by who connects, and how often it has made something. */
static void local_invent(struct description *d, const struct sockaddr *to, socklen_t size)
{
    if (d->bound)
        return;
    if (d->domain == AF_UNIX) {
        d->local.ss_family = AF_UNIX;
        d->local_size = sizeof(sa_family_t);
        return;
    }
    address_copy(&d->local, &d->local_size, to, size);
    *port_of(&d->local) = htons((uint16_t)(32768 + mix64(channels_name()) % 28000));
}

static void connect_inside(struct description *d, int fd, struct channel *queue,
                           const struct sockaddr *to, socklen_t size)
{
    struct description *end = socket_new(d->domain, d->type);

    local_invent(d, to, size);
    address_copy(&d->peer, &d->peer_size, to, size);
    end->peer = d->local;
    end->peer_size = d->local_size;
    end->local = d->peer;
    end->local_size = d->peer_size;
    end->bound = true;
    join(d, end, d->domain == AF_UNIX ? "UNIX connection" : "TCP connection", fd);
    channels_connection(queue, end);
}

static int connect_to(struct description *d, int fd, const struct sockaddr *to, socklen_t size)
{
    uint64_t name = queue_name(to, size);
    bool waits = !d->nonblocking && !d->timed_out;
    int64_t got;

    if (!name)
        return channels_fail(EAFNOSUPPORT);
    d->busy++;
    got = channels_ask(waits ? OP_CHANNEL_PUT : OP_CHANNEL_TRYPUT, name, 1, 0,
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

REAL_CALL(getsockname)
INTERPOSE int getsockname(int fd, __SOCKADDR_ARG to, socklen_t *restrict size)
{
    struct description *d = native.current ? channels_use(fd) : NULL;

    if (d && d->local_size)
        return address_tell(&d->local, d->local_size, to.__sockaddr__, size);
    touch_peer(to.__sockaddr__, size);
    return REAL(getsockname)(fd, to, size);
}

REAL_CALL(getpeername)
INTERPOSE int getpeername(int fd, __SOCKADDR_ARG to, socklen_t *restrict size)
{
    struct description *d = native.current ? channels_use(fd) : NULL;

    if (d && d->peer_size)
        return address_tell(&d->peer, d->peer_size, to.__sockaddr__, size);
    touch_peer(to.__sockaddr__, size);
    return REAL(getpeername)(fd, to, size);
}

REAL_CALL(getsockopt)
INTERPOSE int getsockopt(int fd, int level, int name, void *restrict to, socklen_t *restrict size)
{
    if (native.current)
        channels_use(fd);
    touch_peer(to, size);
    return REAL(getsockopt)(fd, level, name, to, size);
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
    struct description *d = native.current ? channels_use(fd) : NULL;
    int result = REAL(setsockopt)(fd, level, name, value, size);

    if (d && result == 0 && level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO))
        timeout_note(d, name, value, size);
    return result;
}
