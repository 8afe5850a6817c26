#include "runtime/channels/memory.h"

#include <errno.h>
#include <limits.h>

#include "runtime/core/image.h"
#include "runtime/hooks/plain.h"

static bool fail(int error)
{
    errno = error;
    return false;
}

bool memory_length(size_t n)
{
    return n <= SSIZE_MAX || fail(EFAULT);
}

bool memory_vectors(const struct iovec *vectors, int64_t count)
{
    size_t total = 0;

    if (count < 0 || count > IOV_MAX)
        return fail(EINVAL);
    native_reads(vectors, (size_t)count * sizeof *vectors);
    for (int64_t i = 0; i < count; i++) {
        if (vectors[i].iov_len > SSIZE_MAX - total)
            return fail(EINVAL);
        total += vectors[i].iov_len;
    }
    return true;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void memory_pieces(const struct iovec *vectors, size_t count, size_t size, bool writes)
{
    for (size_t i = 0; i < count && size > 0; i++) {
        size_t piece = least(vectors[i].iov_len, size);

        native_touches(&(struct native_range){vectors[i].iov_base, piece, writes}, 1);
        size -= piece;
    }
}

/* Everything that may be written: where accesses are steps, they must come before the kernel's. */
static void message_writes(const struct msghdr *message)
{
    memory_pieces(message->msg_iov, message->msg_iovlen, SIZE_MAX, true);
    if (message->msg_name)
        native_writes(message->msg_name, message->msg_namelen);
    if (message->msg_control)
        native_writes(message->msg_control, message->msg_controllen);
    native_writes((void *)(uintptr_t)message, sizeof *message);
}

bool memory_message(const struct msghdr *message, bool sent)
{
    native_reads(message, sizeof *message);
    if (message->msg_iovlen > IOV_MAX)
        return fail(EMSGSIZE);
    if (!memory_vectors(message->msg_iov, (int64_t)message->msg_iovlen))
        return false;
    if (sent && message->msg_name)
        native_reads(message->msg_name, message->msg_namelen);
    if (sent && message->msg_control)
        native_reads(message->msg_control, message->msg_controllen);
    if (!sent && !native.detects)
        message_writes(message);
    return true;
}

void memory_message_received(const struct msghdr *message, const struct msghdr *room, ssize_t got)
{
    if (got < 0 || !native.detects)
        return;
    memory_pieces(message->msg_iov, message->msg_iovlen, (size_t)got, true);
    if (message->msg_name)
        native_writes(message->msg_name, least(message->msg_namelen, room->msg_namelen));
    if (message->msg_control)
        native_writes(message->msg_control, least(message->msg_controllen, room->msg_controllen));
    native_writes((void *)(uintptr_t)message, sizeof *message);
}

socklen_t memory_room(const void *to, socklen_t *size)
{
    if (!size || !native.current)
        return 0;
    native_reads(size, sizeof *size);
    image_touch(size, sizeof *size);
    if (to && (int)*size > 0)
        image_touch((void *)(uintptr_t)to, *size);
    if (!native.detects) {
        native_writes(size, sizeof *size);
        if (to && (int)*size > 0)
            native_writes((void *)(uintptr_t)to, *size);
    }
    return *size;
}

void memory_told(void *to, socklen_t *size, socklen_t room)
{
    if (!size || !native.current || !native.detects)
        return;
    native_writes(size, sizeof *size);
    if (to)
        native_writes(to, least(*size, room));
}
