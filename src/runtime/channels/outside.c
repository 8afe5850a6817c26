#include "runtime/channels/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>

#include "runtime/channels/channels.h"
#include "runtime/core/kernel.h"
#include "runtime/hooks/plain.h"

#define PATIENCE     4000 /* milliseconds that another process may take to answer */
#define PATIENCE_NEW 3000 /* that one may take to connect for the first time */
#define GRACE        100  /* for what does not wait */
#define PIECE        65536

#define REMEMBERS_AGAIN (UINT32_MAX - 1) /* instead of a size: there was nothing yet */

/* ---- the kernel */

static uint32_t kernel_poll(int fd, uint32_t events, int milliseconds)
{
    struct pollfd wait = {.fd = fd, .events = (short)events};
    long got;

    do
        got = syscall(SYS_poll, &wait, 1, milliseconds);
    while (got < 0 && errno == EINTR);
    return got > 0 ? (uint16_t)wait.revents : 0;
}

/* The other process does not go on: nor does this thread. */
static _Noreturn void gives_up(void)
{
    struct op op = native_op(OP_ASSUME, NULL);

    native_unsupported("a wait for another process that does not answer");
    native_ask(&op);
    __builtin_unreachable();
}

static void await(int fd, uint32_t events)
{
    if (!kernel_poll(fd, events, PATIENCE))
        gives_up();
}

/* ---- connections */

void outside_begin(struct description *d, int fd)
{
    d->kind = DESCRIPTION_OUTSIDE;
    d->outside = channels_alloc(sizeof *d->outside);
    d->outside->fd = fd;
    d->in = channels_channel("connection with another process", fd);
    d->out = NULL;
    d->outside->past = mix64(d->in->name);
}

static int connect_wait(int fd, const struct sockaddr *to, socklen_t size)
{
    int flags = (int)syscall(SYS_fcntl, fd, F_GETFL), error = 0;
    socklen_t error_size = sizeof error;
    long result;

    syscall(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
    result = syscall(SYS_connect, fd, to, size);
    if (result != 0)
        error = errno;
    if (error == EINPROGRESS) {
        await(fd, POLLOUT);
        syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &error, &error_size);
    }
    syscall(SYS_fcntl, fd, F_SETFL, flags);
    return error;
}

int outside_connect(struct description *d, int fd, const struct sockaddr *to, socklen_t size)
{
    int error = connect_wait(fd, to, size);

    if (error)
        return channels_fail(error);
    outside_begin(d, fd);
    d->peer_size = size < sizeof d->peer ? size : sizeof d->peer;
    memcpy(&d->peer, to, d->peer_size);
    return 0;
}

int outside_accept(int fd, struct sockaddr_storage *from, socklen_t *size)
{
    await(fd, POLLIN);
    *size = sizeof *from;
    return (int)syscall(SYS_accept4, fd, from, size, 0);
}

/* ---- reading: as much as the first time */

static void past_add(struct outside *o, const void *bytes, size_t size, uint64_t how)
{
    const unsigned char *at = bytes;

    o->past = mix64(o->past ^ how ^ size << 8);
    for (size_t i = 0; i < size; i++)
        o->past = mix64(o->past ^ at[i]);
}

/* More from the kernel to what is kept; false at the end. */
static bool fetch(struct description *d)
{
    char *piece;
    long got;

    await(d->outside->fd, POLLIN);
    piece = channels_alloc(PIECE);
    got = syscall(SYS_recvfrom, d->outside->fd, piece, PIECE, MSG_DONTWAIT, NULL, NULL);
    if (got > 0)
        channels_put(d->in, piece, (size_t)got);
    else if (got < 0 && errno != EAGAIN)
        d->outside->error = errno;
    return got > 0 || (got < 0 && errno == EAGAIN);
}

/* How many bytes a read gives, found out for the first time; REMEMBERS_AGAIN if it does not wait. */
static uint32_t amount_new(struct description *d, size_t size, int flags)
{
    bool waits = !d->nonblocking && !(flags & MSG_DONTWAIT) && !d->timed_in;

    if (d->in->used == 0 && !waits && !kernel_poll(d->outside->fd, POLLIN, GRACE))
        return REMEMBERS_AGAIN;
    if (d->in->used == 0)
        while (fetch(d) && d->in->used == 0)
            ;
    return (uint32_t)(d->in->used < size ? d->in->used : size);
}

static uint32_t amount(struct description *d, size_t size, int flags)
{
    uint64_t key = mix64(d->outside->past ^ size << 1);
    uint32_t known = channels_recall(key);

    if (known == MAP_ABSENT) {
        known = amount_new(d, size, flags);
        channels_remember(key, known);
        return known;
    }
    while (known != REMEMBERS_AGAIN && d->in->used < known && fetch(d))
        ;
    if (known != REMEMBERS_AGAIN && d->in->used < known)
        known =
            (uint32_t)d->in->used; /* the peer does not do again what it did: this run shows it */
    return known;
}

static void give(struct description *d, const struct iovec *to, int count, size_t size, int flags)
{
    char *bytes = channels_alloc(size ? size : 1), *at = bytes;

    channels_get(d->in, bytes, size);
    if (!(flags & MSG_PEEK)) {
        past_add(d->outside, bytes, size, 'r');
        channels_skip(d->in, size);
    }
    for (int i = 0; i < count && size > 0; i++) {
        size_t piece = to[i].iov_len < size ? to[i].iov_len : size;

        if (piece == 0)
            continue;
        native_writes(to[i].iov_base, piece);
        memcpy(to[i].iov_base, at, piece);
        at += piece;
        size -= piece;
    }
}

static ssize_t read_once(struct description *d, const struct iovec *to, int count, int flags)
{
    size_t size = 0;
    uint32_t known;

    for (int i = 0; i < count; i++)
        size += to[i].iov_len;
    if (size == 0)
        return 0;
    if (size > UINT32_MAX / 2)
        size = UINT32_MAX / 2;
    channels_ask(OP_CHANNEL_USE, d->in->name, 0, 0, 0);
    known = amount(d, size, flags);
    if (known == REMEMBERS_AGAIN) {
        past_add(d->outside, NULL, 0, 'a');
        return channels_fail(EAGAIN);
    }
    if (known == 0 && d->outside->error)
        return channels_fail(d->outside->error);
    give(d, to, count, known, flags);
    return (ssize_t)known;
}

ssize_t outside_read(struct description *d, const struct iovec *to, int count, int flags)
{
    ssize_t total = 0, got;

    if (!(flags & MSG_WAITALL) || count != 1)
        return read_once(d, to, count, flags);
    do {
        struct iovec rest = {(char *)to->iov_base + total, to->iov_len - (size_t)total};

        got = read_once(d, &rest, 1, flags);
        total += got > 0 ? got : 0;
    } while (got > 0 && (size_t)total < to->iov_len);
    return total ? total : got;
}

/* ---- writing: all of it, always */

static ssize_t write_piece(struct description *d, const char *from, size_t size)
{
    size_t sent = 0;

    while (sent < size) {
        long got;

        await(d->outside->fd, POLLOUT);
        got = syscall(SYS_sendto, d->outside->fd, from + sent, size - sent,
                      MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
        if (got < 0 && errno != EAGAIN)
            return sent ? (ssize_t)sent : -1;
        sent += got > 0 ? (size_t)got : 0;
    }
    past_add(d->outside, from, size, 'w');
    return (ssize_t)sent;
}

ssize_t outside_write(struct description *d, const char *from, size_t size, int flags)
{
    ssize_t sent;

    channels_ask(OP_CHANNEL_USE, d->in->name, 0, 0, 0);
    sent = write_piece(d, from, size);
    return sent < 0 && errno == EPIPE ? channels_broken(flags) : sent;
}

/* ---- waiting */

static uint32_t waits_new(struct outside_wait *waits, uint32_t count, int milliseconds)
{
    struct pollfd *fds = channels_alloc((count + 1) * sizeof *fds);
    uint32_t ready = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct description *d = waits[i].description;

        fds[i] = (struct pollfd){.fd = d->outside->fd, .events = (short)waits[i].events};
        if (d->in->used && waits[i].events & POLLIN)
            ready |= 1u << i;
    }
    while (syscall(SYS_poll, fds, count, ready ? 0 : milliseconds) < 0 && errno == EINTR)
        ;
    for (uint32_t i = 0; i < count; i++)
        if (fds[i].revents)
            ready |= 1u << i;
    channels_free(fds, (count + 1) * sizeof *fds);
    return ready;
}

/* Which of them are ready is a fact like how much a read gives. Each look at the same past may find something else. */
bool outside_poll(struct outside_wait *waits, uint32_t count, int64_t timeout)
{
    int milliseconds =
        timeout < 0 || timeout / 1000000 > PATIENCE ? PATIENCE : (int)(timeout / 1000000);
    uint64_t key = 'e';
    uint32_t ready;

    if (count > OUTSIDE_POLL_MAX) {
        native_unsupported("a wait for so many other processes");
        count = OUTSIDE_POLL_MAX;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct outside *o = waits[i].description->outside;

        key = mix64(key ^ o->past ^ (uint64_t)waits[i].events << 40 ^ (uint64_t)++o->looks << 8);
    }
    ready = channels_recall(key);
    if (ready == MAP_ABSENT) {
        ready = waits_new(waits, count, milliseconds);
        channels_remember(key, ready);
    }
    for (uint32_t i = 0; i < count; i++)
        waits[i].ready =
            ready >> i & 1 ? waits[i].events & (POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM) : 0;
    return ready != 0;
}

void outside_give_up(void)
{
    gives_up();
}

/* ---- who comes from outside */

static uint64_t comes_key(uint64_t queue)
{
    return mix64(queue ^ (uint64_t)'q' << 32);
}

bool outside_comes_to(uint64_t queue)
{
    return channels_recall(comes_key(queue)) == 1;
}

static uint64_t queue_of(const struct op *op)
{
    bool takes = op->kind == OP_CHANNEL_GET && op->variant & CHANNEL_QUEUE;

    return takes ? op->addr : 0;
}

/* The kernel's descriptor of the socket that listens there, or -1. */
static int listener_of(uint64_t queue)
{
    for (int fd = 0; fd < CHANNELS_DESCRIPTORS; fd++) {
        const struct description *d = channels_find(fd);

        if (d && d->kind == DESCRIPTION_LISTENER && d->in->name == queue)
            return fd;
    }
    return -1;
}

static bool comes_now(uint64_t queue)
{
    int fd = listener_of(queue);
    bool comes;

    if (fd < 0 || channels_recall(comes_key(queue)) != MAP_ABSENT)
        return false;
    comes = kernel_poll(fd, POLLIN, PATIENCE_NEW) != 0;
    channels_remember(comes_key(queue), comes);
    if (comes)
        native.session->begin_anew = true;
    return comes;
}

/* A wait for several descriptors may have a queue among them. */
static bool comes_to_list(const struct op *op)
{
    const struct channel_item *items;
    channel_list_id list;
    uint32_t count;

    if (op->kind != OP_CHANNEL_POLL)
        return false;
    list = channel_poll_list(native.world, &view_now, op);
    items = channel_list_items(&native.world->channel_lists, list, &count);
    for (uint32_t i = 0; i < count; i++)
        if (items[i].kind == CHANNEL_IS_QUEUE && comes_now(items[i].in))
            return true;
    return false;
}

bool outside_awaited(void)
{
    const struct world *world = native.world;

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        const struct thread *thread = &world->threads.at[agent];

        if (world->agents.at[agent].is_buffer || thread->status != THREAD_RUNNING)
            continue;
        if (queue_of(&thread->pending) && comes_now(queue_of(&thread->pending)))
            return true;
        if (comes_to_list(&thread->pending))
            return true;
    }
    return false;
}
