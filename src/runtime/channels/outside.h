#ifndef RADDLE_RUNTIME_CHANNELS_OUTSIDE_H
#define RADDLE_RUNTIME_CHANNELS_OUTSIDE_H

/* Connections with other processes. Those are taken to go on always: a thread that reads is never held back by the engine, and the
 * whole process waits in the kernel, for a limited time. How the network cuts a stream into pieces must not differ from one
 * execution to the next: how much each read gave is remembered for the search, by the connection and all that went through it before.
 * A restart closes all of them: the peer sees many connections, one after the other. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct description;
struct iovec;

struct outside {
    int fd;
    int error;      /* that ended it */
    uint32_t looks; /* polls of it so far */
    uint64_t past;  /* a hash of all that went through it, either way, and of who it is */
};

/* Connects a socket of the program to a process that is not this one. 0, or -1 with errno. */
int outside_connect(struct description *d, int fd, const struct sockaddr *to, socklen_t size);

/* A connection that comes from outside: the kernel's descriptor, or -1 with errno. */
int outside_accept(int fd, struct sockaddr_storage *from, socklen_t *size);

/* Makes `d` the connected end with the descriptor `fd` of the kernel. */
void outside_begin(struct description *d, int fd);

ssize_t outside_read(struct description *d, const struct iovec *to, int count, int flags);
ssize_t outside_write(struct description *d, const char *from, size_t size, int flags);

/* A connection in a wait for several, and what came of it. */
struct outside_wait {
    const struct description *description;
    uint32_t events, ready; /* as poll has it */
};

#define OUTSIDE_POLL_MAX 31

/* Waits for one of them, at most `timeout` nanoseconds, or as long as is reasonable if that is below 0. Whether one is ready. */
bool outside_poll(struct outside_wait *waits, uint32_t count, int64_t timeout);

/* The other process does not go on, and so the running thread does not, either. */
_Noreturn void outside_give_up(void);

/* Whether connections come to this queue from other processes. */
bool outside_comes_to(uint64_t queue);

/* No thread can go on: if one waits for connections, does one come from outside? Then the search begins anew. */
bool outside_awaited(void);

#endif
