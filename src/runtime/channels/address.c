#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "runtime/channels/memory.h"
#include "runtime/channels/socket.h"
#include "runtime/core/kernel.h"
#include "runtime/files/files.h"
#include "runtime/gate/gate.h"
#include "runtime/hooks/plain.h"

/* Addresses of sockets. */

static uint64_t bytes_hash(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t hash = size;

    for (size_t i = 0; i < size; i++)
        hash = mix64(hash ^ at[i]);
    return hash;
}

uint64_t address_queue(const struct sockaddr *address, socklen_t size)
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

void address_copy(struct sockaddr_storage *to, socklen_t *to_size, const struct sockaddr *from,
                  socklen_t size)
{
    if (size > sizeof *to)
        size = sizeof *to;
    memset(to, 0, sizeof *to);
    memcpy(to, from, size);
    *to_size = size;
}

int address_tell(const struct sockaddr_storage *address, socklen_t known, struct sockaddr *to,
                 socklen_t *size)
{
    socklen_t room;

    if (!to || !size)
        return 0;
    native_reads(size, sizeof *size);
    room = known < *size ? known : *size;
    native_writes(to, room);
    native_writes(size, sizeof *size);
    memcpy(to, address, room);
    *size = known;
    return 0;
}

static uint16_t *port_of(struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET)
        return &((struct sockaddr_in *)address)->sin_port;
    return address->ss_family == AF_INET6 ? &((struct sockaddr_in6 *)address)->sin6_port : NULL;
}

void address_note_local(struct description *d, int fd)
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
        struct gate_call bind = {SYS_bind, {fd, (long)to, (long)size}};
        long result = gate_pass(&bind); /* it may make a name */

        return result < 0 ? channels_fail((int)-result) : 0;
    }
    syscall(SYS_setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (port_of(&address) && *port_of(&address) == 0)
        return bind_any(fd, &address, size);
    return (int)syscall(SYS_bind, fd, to, size);
}

void address_invent_local(struct description *d, const struct sockaddr *to, socklen_t size)
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

REAL_CALL(bind)
INTERPOSE int bind(int fd, __CONST_SOCKADDR_ARG to, socklen_t size)
{
    struct description *d = native.current ? channels_use(fd) : NULL;
    uint64_t name;

    if (!d || !to.__sockaddr__ || size < sizeof(sa_family_t))
        return REAL(bind)(fd, to, size);
    name = address_queue(to.__sockaddr__, size);
    if (name && !native.alone)
        channels_ask(OP_CHANNEL_USE, name, 0, 0, 0);
    if (bind_again(fd, to.__sockaddr__, size) != 0)
        return -1;
    address_note_local(d, fd);
    return 0;
}

REAL_CALL(getsockname)
INTERPOSE int getsockname(int fd, __SOCKADDR_ARG to, socklen_t *restrict size)
{
    struct description *d = native.current ? channels_use(fd) : NULL;
    socklen_t room;
    int result;

    if (d && d->local_size)
        return address_tell(&d->local, d->local_size, to.__sockaddr__, size);
    room = memory_room(to.__sockaddr__, size);
    result = REAL(getsockname)(fd, to, size);
    if (result == 0)
        memory_told(to.__sockaddr__, size, room);
    return result;
}

REAL_CALL(getpeername)
INTERPOSE int getpeername(int fd, __SOCKADDR_ARG to, socklen_t *restrict size)
{
    struct description *d = native.current ? channels_use(fd) : NULL;
    socklen_t room;
    int result;

    if (d && d->peer_size)
        return address_tell(&d->peer, d->peer_size, to.__sockaddr__, size);
    room = memory_room(to.__sockaddr__, size);
    result = REAL(getpeername)(fd, to, size);
    if (result == 0)
        memory_told(to.__sockaddr__, size, room);
    return result;
}
