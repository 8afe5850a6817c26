#ifndef RADDLE_RUNTIME_CHANNELS_CHANNELS_H
#define RADDLE_RUNTIME_CHANNELS_CHANNELS_H

/* What goes through pipes, sockets, event counters and sets of watched descriptors. */

#include "runtime/descriptors/descriptors.h"

/* ---- io.c */

/* As recvmsg and sendmsg have it; `message` may be NULL, and so may `address`. */
struct iovec;
ssize_t channels_read(struct description *d, const struct iovec *to, int count, int flags,
                      struct msghdr *message);
ssize_t channels_write(struct description *d, const struct iovec *from, int count, int flags,
                       const struct sockaddr *address);

/* Nobody can read any more what is written: -1 with EPIPE, or the end of the program. */
int channels_broken(int flags);

/* ---- watch.c: what a wait for this descriptor looks at */
struct channel_item channels_item(const struct description *d, int fd, uint32_t events);

#endif
