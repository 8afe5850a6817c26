#ifndef RADDLE_RUNTIME_CHANNELS_SOCKET_H
#define RADDLE_RUNTIME_CHANNELS_SOCKET_H

/* Sockets. What the program connects to itself never goes through the kernel, which keeps the names and options. */

#include "runtime/channels/channels.h"

/* ---- channels_pair.c */

/* A socket that is not connected; `type` may have SOCK_NONBLOCK. */
struct description *socket_new(int domain, int type);

/* Connects the two; `what` is it to the user, and `fd` the number of one of them. */
void socket_join(struct description *a, struct description *b, const char *what, int fd);

/* ---- channels_address.c */

/* The queue at an address. A port is a port, whatever the address of the machine. 0: no such address. */
uint64_t address_queue(const struct sockaddr *address, socklen_t size);

void address_copy(struct sockaddr_storage *to, socklen_t *to_size, const struct sockaddr *from,
                  socklen_t size);

/* To a caller who may not want it, or has less room. Returns 0. */
int address_tell(const struct sockaddr_storage *address, socklen_t known, struct sockaddr *to,
                 socklen_t *size);

/* What the kernel takes for the address of `fd` is that of the socket. */
void address_note_local(struct description *d, int fd);

/* An address for a socket that was bound to none and connects to `to`: by who connects, and how often it has made something. */
void address_invent_local(struct description *d, const struct sockaddr *to, socklen_t size);

#endif
