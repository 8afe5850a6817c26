#ifndef RADDLE_RUNTIME_CHANNELS_MEMORY_H
#define RADDLE_RUNTIME_CHANNELS_MEMORY_H

/* What calls on descriptors read and write for their caller, besides the data: lists of pieces, messages, addresses. Each counts as an
 * access of the running thread; outside a program thread nothing does. */

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* A length that no memory has, such as one below 0, is refused before anything is accessed. False: errno is set. */
bool memory_length(size_t n);

/* The list itself, not what its pieces hold. False: the kernel would not take it, and errno says why. */
bool memory_vectors(const struct iovec *vectors, int64_t count);

/* The first `size` bytes of the pieces. */
void memory_pieces(const struct iovec *vectors, size_t count, size_t size, bool writes);

/* Before a message is sent or received: the description of it, and, if it is sent, what that points to. False: errno is set. */
bool memory_message(const struct msghdr *message, bool sent);

/* The kernel has received one of `got` bytes. `room` is the description as it was before. */
void memory_message_received(const struct msghdr *message, const struct msghdr *room, ssize_t got);

/* An address (or an option of a socket) that will be told: the room for it. The kernel may write there. */
socklen_t memory_room(const void *to, socklen_t *size);

/* It has been: *size says how long it is, `room` how much of it there was place for. */
void memory_told(void *to, socklen_t *size, socklen_t room);

#endif
