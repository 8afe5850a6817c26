#include "runtime/channels/channels.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>

#include "runtime/channels/outside.h"
#include "runtime/ending/ending.h"
#include "runtime/hooks/plain.h"

/* Reading and writing. The engine says how many units; then nobody else runs until they are moved. */

/* ---- pieces of memory */

static size_t vectors_size(const struct iovec *vectors, int count)
{
    size_t size = 0;

    for (int i = 0; i < count; i++)
        size += vectors[i].iov_len;
    return size;
}

/* `size` bytes of ours to the vectors: that is when the program's memory changes. */
static void vectors_fill(const char *from, const struct iovec *to, int count, size_t size)
{
    for (int i = 0; i < count && size > 0; i++) {
        size_t piece = to[i].iov_len < size ? to[i].iov_len : size;

        if (piece == 0)
            continue;
        native_writes(to[i].iov_base, piece);
        memcpy(to[i].iov_base, from, piece);
        from += piece;
        size -= piece;
    }
}

/* The first `size` bytes of the channel to the vectors, and `taken` bytes out of the channel: both before anybody else can look. */
static void vectors_take(struct channel *channel, const struct iovec *to, int count, size_t size,
                         size_t taken)
{
    char *bytes;

    if (size > 0) {
        bytes = channels_alloc(size);
        channels_get(channel, bytes, size);
        channels_skip(channel, taken);
        vectors_fill(bytes, to, count, size);
        channels_free(bytes, size);
    } else {
        channels_skip(channel, taken);
    }
}

/* All of the vectors in one piece, as they are before the operation: whoever reads it may change them at once. */
static char *vectors_gather(const struct iovec *from, int count, size_t size)
{
    char *bytes = channels_alloc(size ? size : 1);
    size_t at = 0;

    for (int i = 0; i < count && at < size; i++) {
        size_t piece = from[i].iov_len < size - at ? from[i].iov_len : size - at;

        if (piece == 0)
            continue;
        native_reads(from[i].iov_base, piece);
        memcpy(bytes + at, from[i].iov_base, piece);
        at += piece;
    }
    return bytes;
}

/* ---- asking */

static bool waits(const struct description *d, int flags, bool timed)
{
    return !d->nonblocking && !(flags & MSG_DONTWAIT) && !timed;
}

static int64_t ask(struct description *d, enum op_kind kind, const struct channel *channel,
                   uint64_t value, unsigned flags, bool timed)
{
    int64_t got;

    if (op_infos[kind].flags & OP_BLOCK)
        flags |= channels_cancellable();
    d->busy++;
    got = (timed ? channels_ask_timed : channels_ask)(kind, channel->name, value, channel->capacity,
                                                      flags);
    d->busy--;
    if (got == -ECANCELED)
        native_cancel_point();
    return got;
}

static int64_t ask_get(struct description *d, uint64_t size, int flags, unsigned how)
{
    static const uint8_t kinds[2][2] = {{OP_CHANNEL_TRYGET, OP_CHANNEL_GET},
                                        {OP_CHANNEL_TRYPEEK, OP_CHANNEL_PEEK}};
    bool peek = flags & MSG_PEEK;

    return ask(d, kinds[peek][waits(d, flags, d->timed_in)], d->in, size, how,
               d->timed_in && waits(d, flags, false));
}

static int64_t ask_put(struct description *d, uint64_t size, int flags, unsigned how)
{
    return ask(d, waits(d, flags, d->timed_out) ? OP_CHANNEL_PUT : OP_CHANNEL_TRYPUT, d->out, size,
               how, d->timed_out && waits(d, flags, false));
}

/* ---- reading */

static ssize_t counter_read(struct description *d, const struct iovec *to, int count)
{
    uint64_t value;
    int64_t got;

    if (vectors_size(to, count) < sizeof value)
        return channels_fail(EINVAL);
    got = ask_get(d, 0, 0, CHANNEL_COUNTER | (d->semaphore ? CHANNEL_SEMAPHORE : 0));
    if (got < 0)
        return channels_fail((int)-got);
    value = d->semaphore ? 1 : d->in->counter;
    d->in->counter -= value;
    vectors_fill((const char *)&value, to, count, sizeof value);
    return sizeof value;
}

static void message_from(const struct message *m, struct msghdr *message)
{
    socklen_t size = m->from_size < message->msg_namelen ? m->from_size : message->msg_namelen;

    if (!message->msg_name)
        return;
    native_writes(message->msg_name, size);
    memcpy(message->msg_name, &m->from, size);
    message->msg_namelen = m->from_size;
}

static ssize_t message_read(struct description *d, const struct iovec *to, int count, int flags,
                            struct msghdr *message)
{
    size_t size = vectors_size(to, count);
    struct message m;
    int64_t got = ask_get(d, 1, flags, d->type == SOCK_DGRAM ? CHANNEL_LASTING : 0);

    if (got <= 0)
        return got < 0 ? channels_fail((int)-got) : 0;
    m = d->in->messages.at[d->in->first_message];
    d->in->first_message += !(flags & MSG_PEEK);
    vectors_take(d->in, to, count, size < m.size ? size : m.size, flags & MSG_PEEK ? 0 : m.size);
    if (message)
        message_from(&m, message);
    if (message && m.size > size)
        message->msg_flags |= MSG_TRUNC;
    return (ssize_t)(flags & MSG_TRUNC || m.size < size ? m.size : size);
}

static ssize_t stream_read(struct description *d, const struct iovec *to, int count, int flags)
{
    size_t size = vectors_size(to, count);
    int64_t got = ask_get(d, size, flags, 0);

    if (got < 0)
        return channels_fail((int)-got);
    vectors_take(d->in, to, count, (size_t)got, flags & MSG_PEEK ? 0 : (size_t)got);
    return got;
}

/* MSG_WAITALL: several gets, until there is no more. */
static ssize_t stream_read_all(struct description *d, const struct iovec *to, int count, int flags)
{
    ssize_t total = 0;

    for (int i = 0; i < count; i++)
        for (size_t at = 0; at < to[i].iov_len;) {
            struct iovec rest = {(char *)to[i].iov_base + at, to[i].iov_len - at};
            ssize_t got = stream_read(d, &rest, 1, flags);

            if (got <= 0)
                return total ? total : got;
            at += (size_t)got;
            total += got;
        }
    return total;
}

ssize_t channels_read(struct description *d, const struct iovec *to, int count, int flags,
                      struct msghdr *message)
{
    if (flags & MSG_OOB)
        native_unsupported("urgent data (MSG_OOB)");
    if (d->kind == DESCRIPTION_OUTSIDE)
        return outside_read(d, to, count, flags);
    if (d->kind == DESCRIPTION_COUNTER)
        return counter_read(d, to, count);
    if (d->kind == DESCRIPTION_SET)
        return channels_fail(EINVAL);
    if (d->kind == DESCRIPTION_OTHER)
        channels_unknown(d); /* and then it waits for what never comes */
    if (d->kind == DESCRIPTION_SOCKET || d->kind == DESCRIPTION_LISTENER)
        return channels_fail(d->kind == DESCRIPTION_SOCKET && d->domain == AF_UNIX ? EINVAL
                                                                                   : ENOTCONN);
    if (!d->in)
        return channels_fail(EBADF);
    if (d->kind == DESCRIPTION_MESSAGES)
        return message_read(d, to, count, flags, message);
    if (message)
        message->msg_namelen = 0;
    if (vectors_size(to, count) == 0)
        return 0;
    if (flags & MSG_WAITALL && !(flags & MSG_PEEK) && waits(d, flags, false))
        return stream_read_all(d, to, count, flags);
    return stream_read(d, to, count, flags);
}

/* ---- writing */

int channels_broken(int flags)
{
    struct sigaction action;
    sigset_t blocked;

    if (flags & MSG_NOSIGNAL)
        return channels_fail(EPIPE);
    if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL &&
        pthread_sigmask(SIG_SETMASK, NULL, &blocked) == 0 && !sigismember(&blocked, SIGPIPE))
        native_crash(BUG_CRASH,
                     "SIGPIPE ends the program: a thread writes to what nobody can read any more");
    if (action.sa_handler != SIG_IGN)
        raise(SIGPIPE);
    return channels_fail(EPIPE);
}

static ssize_t write_failed(int64_t error, int flags)
{
    return error == -EPIPE ? channels_broken(flags) : channels_fail((int)-error);
}

static ssize_t counter_write(struct description *d, const char *from, size_t size)
{
    uint64_t add;
    int64_t got;

    if (size < sizeof add)
        return channels_fail(EINVAL);
    memcpy(&add, from, sizeof add);
    if (add == UINT64_MAX)
        return channels_fail(EINVAL);
    got = ask_put(d, add, 0, CHANNEL_COUNTER);
    if (got == -EOVERFLOW)
        native_unsupported("an event counter between 2^53 and 2^64 - 2^53");
    if (got < 0)
        return channels_fail((int)-got);
    d->in->counter += add;
    return sizeof add;
}

/* No signal, as for streams; and datagrams say once that the other end is gone, and then that there is none. */
static int message_failed(struct description *d, int64_t error)
{
    struct world *world = native.world;
    uint64_t state = world_state(world, world_location(world, OBJECT_CHANNEL, d->out->name));

    if (error != -EPIPE || d->type != SOCK_DGRAM || channel_has_reader(state) ||
        state & CHANNEL_WRITE_SHUT)
        return channels_fail((int)-error);
    d->cut = true;
    return channels_fail(ECONNREFUSED);
}

static ssize_t message_write(struct description *d, const char *from, size_t size, int flags)
{
    int64_t got;
    struct message m = {.size = size, .from = d->local, .from_size = d->local_size};

    if (d->cut)
        return channels_fail(ENOTCONN);
    got = ask_put(d, 1, flags, CHANNEL_WHOLE);
    if (got < 0)
        return message_failed(d, got);
    channels_put(d->out, from, size);
    channels_message(d->out, &m);
    return (ssize_t)size;
}

/* A pipe takes up to PIPE_BUF bytes whole or not at all. What does not fit waits for more room. */
static ssize_t stream_write(struct description *d, const char *from, size_t size, int flags)
{
    bool whole = d->kind == DESCRIPTION_PIPE && size <= PIPE_BUF;
    unsigned how = (whole ? CHANNEL_WHOLE : 0) |
                   (d->kind == DESCRIPTION_STREAM && d->domain != AF_UNIX ? CHANNEL_LATE : 0);
    size_t sent = 0;

    while (sent < size) {
        int64_t got = ask_put(d, size - sent, flags, how);

        if (got < 0)
            return sent ? (ssize_t)sent : write_failed(got, flags);
        channels_put(d->out, from + sent, (size_t)got);
        sent += (size_t)got;
        if (!waits(d, flags, d->timed_out))
            break;
    }
    return (ssize_t)sent;
}

/* -1 with errno for what cannot be written to at all. */
static int write_refused(const struct description *d, const struct sockaddr *address, int flags)
{
    if (d->kind == DESCRIPTION_SET || d->kind == DESCRIPTION_OTHER)
        return channels_fail(EINVAL);
    if (d->kind == DESCRIPTION_LISTENER ||
        (d->kind == DESCRIPTION_SOCKET && d->type == SOCK_STREAM))
        return d->domain == AF_UNIX ? channels_fail(ENOTCONN) : channels_broken(flags);
    if (d->kind == DESCRIPTION_SOCKET)
        return channels_fail(address ? EOPNOTSUPP : ENOTCONN);
    if (!d->out && d->kind != DESCRIPTION_OUTSIDE)
        return channels_fail(EBADF);
    if (address && d->kind == DESCRIPTION_STREAM)
        return channels_fail(EISCONN);
    return 0;
}

ssize_t channels_write(struct description *d, const struct iovec *from, int count, int flags,
                       const struct sockaddr *address)
{
    size_t size = vectors_size(from, count);
    ssize_t sent;
    char *bytes;

    if (flags & MSG_OOB)
        native_unsupported("urgent data (MSG_OOB)");
    if (write_refused(d, address, flags) != 0)
        return -1;
    bytes = vectors_gather(from, count, size);
    if (d->kind == DESCRIPTION_OUTSIDE)
        sent = outside_write(d, bytes, size, flags);
    else if (d->kind == DESCRIPTION_COUNTER)
        sent = counter_write(d, bytes, size);
    else if (d->kind == DESCRIPTION_MESSAGES)
        sent = message_write(d, bytes, size, flags);
    else
        sent = stream_write(d, bytes, size, flags);
    channels_free(bytes, size ? size : 1);
    return sent;
}
