#include <errno.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/channels/channels.h"
#include "runtime/channels/memory.h"
#include "runtime/channels/outside.h"
#include "runtime/core/kernel.h"
#include "runtime/ending/ending.h"
#include "runtime/files/files.h"
#include "runtime/hooks/plain.h"
#include "runtime/program/spin.h"

/* What reads and writes by descriptor: of a channel, or of a file. Names in __..._chk are those that _FORTIFY_SOURCE puts in. */

/* The description, if the running thread may have to wait for it; files go the other way. */
static struct description *waits_for(int fd)
{
    if (!native.current)
        return NULL;
    native_cancel_point();
    return channels_or_file(fd);
}

/* ---- reading */

static ssize_t read_into(struct description *d, void *to, size_t n, int flags)
{
    struct iovec vector = {to, n};

    if (!memory_length(n))
        return -1;
    return channels_read(d, &vector, 1, flags, NULL);
}

static void touch_vectors(const struct iovec *vectors, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (vectors[i].iov_base)
            image_touch(vectors[i].iov_base, vectors[i].iov_len);
}

/* The kernel is about to write to the pieces, and has written. */
static void pieces_begin(const struct iovec *to, int count)
{
    touch_vectors(to, (size_t)count);
    if (!native.detects)
        memory_pieces(to, (size_t)count, SIZE_MAX, true);
}

static ssize_t pieces_end(ssize_t got, const struct iovec *to, int count)
{
    if (got > 0 && native.current && native.detects)
        memory_pieces(to, (size_t)count, (size_t)got, true);
    return got;
}

/* False if the descriptor has become something else at this step. */
static bool note_read(int fd, void *to, size_t n)
{
    if (native.current) {
        if (!files_shared(fd, false, true))
            return false;
        files_reading(fd, to, n);
    }
    spin_forget();
    return true;
}

REAL_CALL(read)
INTERPOSE ssize_t read(int fd, void *to, size_t n)
{
    struct description *d = waits_for(fd);

    if (d)
        return read_into(d, to, n, 0);
    if (!memory_length(n))
        return -1;
    if (!note_read(fd, to, n))
        return read(fd, to, n);
    return native.current ? files_read_at(fd, to, n, FILES_HERE) : REAL(read)(fd, to, n);
}

ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, __SOCKADDR_ARG, socklen_t *);
_Noreturn void __chk_fail(void);

INTERPOSE ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
    if (n > room)
        __chk_fail();
    return read(fd, to, n);
}

REAL_CALL(readv)
INTERPOSE ssize_t readv(int fd, const struct iovec *to, int count)
{
    struct description *d = waits_for(fd);

    if (native.current && !memory_vectors(to, count))
        return -1;
    if (d)
        return channels_read(d, to, count, 0, NULL);
    if (native.current) {
        if (!files_shared(fd, false, true))
            return readv(fd, to, count);
        streams_moving(fd);
        pieces_begin(to, count);
    }
    return pieces_end(REAL(readv)(fd, to, count), to, count);
}

static bool is_socket(const struct description *d)
{
    return d->kind != DESCRIPTION_PIPE && d->kind != DESCRIPTION_COUNTER &&
           d->kind != DESCRIPTION_SET && d->kind != DESCRIPTION_OTHER;
}

REAL_CALL(recv)
INTERPOSE ssize_t recv(int fd, void *to, size_t n, int flags)
{
    struct description *d = waits_for(fd);

    if (d)
        return is_socket(d) ? read_into(d, to, n, flags) : channels_fail(ENOTSOCK);
    if (!memory_length(n))
        return -1;
    note_read(fd, to, n);
    if (native.current)
        pieces_begin(&(struct iovec){to, n}, 1);
    return pieces_end(REAL(recv)(fd, to, n, flags), &(struct iovec){to, n}, 1);
}

INTERPOSE ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags)
{
    if (n > room)
        __chk_fail();
    return recv(fd, to, n, flags);
}

/* On a channel; `message` is the caller's, or one that stands for the arguments of recvfrom. */
static ssize_t message_take(struct description *d, struct msghdr *message, int flags)
{
    if (!is_socket(d))
        return channels_fail(ENOTSOCK);
    message->msg_flags = 0;
    message->msg_controllen = 0;
    return channels_read(d, message->msg_iov, (int)message->msg_iovlen, flags, message);
}

static void message_touch(struct msghdr *message)
{
    image_touch(message, sizeof *message);
    touch_vectors(message->msg_iov, message->msg_iovlen);
    if (message->msg_name)
        image_touch(message->msg_name, message->msg_namelen);
    if (message->msg_control)
        image_touch(message->msg_control, message->msg_controllen);
}

REAL_CALL(recvmsg)
INTERPOSE ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    struct description *d = waits_for(fd);
    struct msghdr room;
    ssize_t got;

    if (!native.current)
        return REAL(recvmsg)(fd, message, flags);
    if (!memory_message(message, false))
        return -1;
    if (d) {
        native_writes(message, sizeof *message);
        return message_take(d, message, flags);
    }
    streams_moving(fd);
    message_touch(message);
    room = *message;
    got = REAL(recvmsg)(fd, message, flags);
    memory_message_received(message, &room, got);
    return got;
}

REAL_CALL(recvfrom)
INTERPOSE ssize_t recvfrom(int fd, void *restrict to, size_t n, int flags, __SOCKADDR_ARG from,
                           socklen_t *restrict size)
{
    struct description *d = waits_for(fd);
    socklen_t room = memory_room(from.__sockaddr__, size);
    struct iovec vector = {to, n};
    struct msghdr message = {
        .msg_name = from.__sockaddr__, .msg_namelen = room, .msg_iov = &vector, .msg_iovlen = 1};
    ssize_t got;

    if (!memory_length(n))
        return -1;
    if (d) {
        got = message_take(d, &message, flags);
        if (got >= 0 && size)
            *size = message.msg_namelen;
    } else {
        note_read(fd, to, n);
        if (native.current)
            pieces_begin(&vector, 1);
        got = pieces_end(REAL(recvfrom)(fd, to, n, flags, from, size), &vector, 1);
    }
    if (got >= 0)
        memory_told(from.__sockaddr__, size, room);
    return got;
}

INTERPOSE ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags,
                                 __SOCKADDR_ARG from, socklen_t *size)
{
    if (n > room)
        __chk_fail();
    return recvfrom(fd, to, n, flags, from, size);
}

/* ---- writing */

static ssize_t write_from(struct description *d, const void *from, size_t n, int flags)
{
    struct iovec vector = {(void *)from, n};

    if (!memory_length(n))
        return -1;
    return channels_write(d, &vector, 1, flags, NULL);
}

static bool note_write(int fd)
{
    if (native.current) {
        if (!files_shared(fd, true, true))
            return false;
        files_writing(fd);
    }
    spin_forget();
    return true;
}

REAL_CALL(write)
INTERPOSE ssize_t write(int fd, const void *from, size_t n)
{
    struct description *d = waits_for(fd);

    if (d)
        return write_from(d, from, n, 0);
    if (!memory_length(n))
        return -1;
    if (native.current)
        native_reads(from, n);
    if (!note_write(fd))
        return write(fd, from, n);
    return REAL(write)(fd, from, n);
}

REAL_CALL(writev)
INTERPOSE ssize_t writev(int fd, const struct iovec *from, int count)
{
    struct description *d = waits_for(fd);

    if (native.current && !memory_vectors(from, count))
        return -1;
    if (d)
        return channels_write(d, from, count, 0, NULL);
    if (native.current)
        memory_pieces(from, (size_t)count, SIZE_MAX, false);
    if (!note_write(fd))
        return writev(fd, from, count);
    return REAL(writev)(fd, from, count);
}

REAL_CALL(sendmsg)
INTERPOSE ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct description *d = waits_for(fd);

    if (d && !is_socket(d))
        return channels_fail(ENOTSOCK);
    if (native.current && !memory_message(message, true))
        return -1;
    if (d && message->msg_controllen > 0)
        native_unsupported("sendmsg with control data");
    if (d)
        return channels_write(d, message->msg_iov, (int)message->msg_iovlen, flags,
                              message->msg_name);
    if (native.current)
        memory_pieces(message->msg_iov, message->msg_iovlen, SIZE_MAX, false);
    note_write(fd);
    return REAL(sendmsg)(fd, message, flags);
}

REAL_CALL(sendto)
INTERPOSE ssize_t sendto(int fd, const void *from, size_t n, int flags, __CONST_SOCKADDR_ARG to,
                         socklen_t size)
{
    struct description *d = waits_for(fd);
    struct iovec vector = {(void *)from, n};

    if (!memory_length(n))
        return -1;
    if (native.current && to.__sockaddr__)
        native_reads(to.__sockaddr__, size);
    if (d)
        return is_socket(d) ? channels_write(d, &vector, 1, flags, to.__sockaddr__)
                            : channels_fail(ENOTSOCK);
    if (native.current)
        native_reads(from, n);
    note_write(fd);
    return REAL(sendto)(fd, from, n, flags, to, size);
}

REAL_CALL(send)
INTERPOSE ssize_t send(int fd, const void *from, size_t n, int flags)
{
    struct description *d = waits_for(fd);

    if (d)
        return is_socket(d) ? write_from(d, from, n, flags) : channels_fail(ENOTSOCK);
    if (!memory_length(n))
        return -1;
    if (native.current)
        native_reads(from, n);
    note_write(fd);
    return REAL(send)(fd, from, n, flags);
}

/* ---- from one to another: in pieces, through memory of ours */

#define PIECE 65536

/* From a file, at *at or at its own offset, or from a channel; and to one. */
static ssize_t piece_read(int fd, off64_t *at, char *to, size_t n)
{
    ssize_t got = at ? pread64(fd, to, n, *at) : read(fd, to, n);

    if (at && got > 0)
        *at += got;
    return got;
}

static ssize_t piece_write(int fd, off64_t *at, const char *from, size_t n)
{
    ssize_t sent = at ? pwrite64(fd, from, n, *at) : write(fd, from, n);

    if (at && sent > 0)
        *at += sent;
    return sent;
}

static ssize_t copy_between(int out, off64_t *out_at, int in, off64_t *at, size_t n)
{
    char *piece = channels_alloc(PIECE);
    size_t total = 0;

    while (total < n) {
        ssize_t got = piece_read(in, at, piece, n - total < PIECE ? n - total : PIECE);
        ssize_t sent;

        if (got <= 0)
            return total ? (ssize_t)total : got;
        sent = piece_write(out, out_at, piece, (size_t)got);
        if (sent < 0)
            return total ? (ssize_t)total : sent;
        total += (size_t)sent;
        if (sent < got) { /* what was read and not written goes back */
            if (at)
                *at -= got - sent;
            else
                lseek(in, sent - got, SEEK_CUR);
            break;
        }
    }
    return (ssize_t)total;
}

#define SENDS_FILE(name, type)                                                                     \
    REAL_CALL(name)                                                                                \
    INTERPOSE ssize_t name(int out, int in, type *at, size_t n)                                    \
    {                                                                                              \
        if (!native.current)                                                                       \
            return REAL(name)(out, in, at, n);                                                     \
        if (!native.alone || channels_find(out) || channels_find(in))                              \
            return copy_between(out, NULL, in, at, n);                                             \
        files_writing(out);                                                                        \
        streams_moving(in);                                                                        \
        if (at)                                                                                    \
            image_touch(at, sizeof *at);                                                           \
        return REAL(name)(out, in, at, n);                                                         \
    }

SENDS_FILE(sendfile, off_t)
SENDS_FILE(sendfile64, off64_t)

REAL_CALL(copy_file_range)
INTERPOSE ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t n,
                                  unsigned flags)
{
    if (!native.current)
        return REAL(copy_file_range)(in, in_at, out, out_at, n, flags);
    if (flags || channels_use(in) || channels_use(out))
        return channels_fail(EINVAL);
    if (!native.alone)
        return copy_between(out, out_at, in, in_at, n);
    files_writing(out);
    streams_moving(in);
    if (in_at)
        image_touch(in_at, sizeof *in_at);
    if (out_at)
        image_touch(out_at, sizeof *out_at);
    return REAL(copy_file_range)(in, in_at, out, out_at, n, flags);
}

#define NOT_ON_CHANNELS(name, parameters, arguments, first, second)                                \
    REAL_CALL(name)                                                                                \
    INTERPOSE ssize_t name parameters                                                              \
    {                                                                                              \
        if (!native.current || (!channels_find(first) && !channels_find(second)))                  \
            return REAL(name) arguments;                                                           \
        native_unsupported(#name);                                                                 \
        return channels_fail(EINVAL);                                                              \
    }

NOT_ON_CHANNELS(splice,
                (int in, off64_t *in_at, int out, off64_t *out_at, size_t n, unsigned flags),
                (in, in_at, out, out_at, n, flags), in, out)
NOT_ON_CHANNELS(tee, (int in, int out, size_t n, unsigned flags), (in, out, n, flags), in, out)
NOT_ON_CHANNELS(vmsplice, (int fd, const struct iovec *v, size_t n, unsigned flags),
                (fd, v, n, flags), fd, fd)

/* Offsets mean nothing here. */
#define NO_OFFSET(type, name, parameters, arguments, ...)                                          \
    REAL_CALL(name)                                                                                \
    INTERPOSE type name parameters                                                                 \
    {                                                                                              \
        if (native.current && channels_or_file(fd))                                                \
            return channels_fail(ESPIPE);                                                          \
        if (native.current) {                                                                      \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        return REAL(name) arguments;                                                               \
    }

NO_OFFSET(off_t, lseek, (int fd, off_t to, int how), (fd, to, how), files_shared(fd, false, true);
          files_writing(fd))
NO_OFFSET(off64_t, lseek64, (int fd, off64_t to, int how), (fd, to, how),
          files_shared(fd, false, true);
          files_writing(fd))

/* Those that say where: the offset stays. */

#define READS_AT(name, offset)                                                                     \
    REAL_CALL(name)                                                                                \
    INTERPOSE ssize_t name(int fd, void *to, size_t n, offset at)                                  \
    {                                                                                              \
        if (!native.current)                                                                       \
            return REAL(name)(fd, to, n, at);                                                      \
        if (at < 0)                                                                                \
            return channels_fail(EINVAL);                                                          \
        if (channels_or_file(fd))                                                                  \
            return channels_fail(ESPIPE);                                                          \
        if (!memory_length(n))                                                                     \
            return -1;                                                                             \
        files_shared(fd, false, false);                                                            \
        spin_forget();                                                                             \
        return files_read_at(fd, to, n, at);                                                       \
    }

READS_AT(pread, off_t)
READS_AT(pread64, off64_t)

ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);

INTERPOSE ssize_t __pread_chk(int fd, void *to, size_t n, off_t at, size_t room)
{
    if (n > room)
        __chk_fail();
    return pread(fd, to, n, at);
}

INTERPOSE ssize_t __pread64_chk(int fd, void *to, size_t n, off64_t at, size_t room)
{
    if (n > room)
        __chk_fail();
    return pread64(fd, to, n, at);
}

NO_OFFSET(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at),
          if (!memory_length(n)) return -1;
          native_reads(from, n); files_shared(fd, true, false))
NO_OFFSET(ssize_t, pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at),
          if (!memory_length(n)) return -1;
          native_reads(from, n); files_shared(fd, true, false))

/* Several pieces; those with flags take an offset of -1 for the file's own. */

static bool pieces_here(off64_t at, bool flags)
{
    return flags && at == -1;
}

static ssize_t pieces_left(ssize_t sent, const struct iovec *from, int count)
{
    (void)from, (void)count;
    return sent;
}

static void pieces_read(int fd, const struct iovec *to, int count, bool here)
{
    files_shared(fd, false, here);
    if (here)
        streams_moving(fd);
    pieces_begin(to, count);
}

static void pieces_written(int fd, const struct iovec *from, int count, bool here)
{
    memory_pieces(from, (size_t)count, SIZE_MAX, false);
    files_shared(fd, true, here);
    if (here)
        files_writing(fd);
}

#define MOVES_PIECES(name, offset, moves, done, on_channel, has_flags, extra, ...)                 \
    REAL_CALL(name)                                                                                \
    INTERPOSE ssize_t name(int fd, const struct iovec *v, int count, offset at extra)              \
    {                                                                                              \
        bool here = pieces_here(at, has_flags);                                                    \
        struct description *d = waits_for(fd);                                                     \
                                                                                                   \
        if (d)                                                                                     \
            return here ? on_channel(fd, v, count) : channels_fail(ESPIPE);                        \
        if (native.current && !memory_vectors(v, count))                                           \
            return -1;                                                                             \
        if (native.current)                                                                        \
            moves(fd, v, count, here);                                                             \
        return done(REAL(name)(fd, v, count, at __VA_ARGS__), v, count);                           \
    }

#define COMMA_FLAGS , int flags
#define WITH_FLAGS  , flags

MOVES_PIECES(preadv, off_t, pieces_read, pieces_end, readv, false, )
MOVES_PIECES(preadv64, off64_t, pieces_read, pieces_end, readv, false, )
MOVES_PIECES(pwritev, off_t, pieces_written, pieces_left, writev, false, )
MOVES_PIECES(pwritev64, off64_t, pieces_written, pieces_left, writev, false, )
MOVES_PIECES(preadv2, off_t, pieces_read, pieces_end, readv, true, COMMA_FLAGS, WITH_FLAGS)
MOVES_PIECES(preadv64v2, off64_t, pieces_read, pieces_end, readv, true, COMMA_FLAGS, WITH_FLAGS)
MOVES_PIECES(pwritev2, off_t, pieces_written, pieces_left, writev, true, COMMA_FLAGS, WITH_FLAGS)
MOVES_PIECES(pwritev64v2, off64_t, pieces_written, pieces_left, writev, true, COMMA_FLAGS,
             WITH_FLAGS)
