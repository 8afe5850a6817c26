#ifndef RADDLE_CLUSTER_POST_H
#define RADDLE_CLUSTER_POST_H

#include "base/bytes.h"

/* Pieces of bytes to and from other ranks of a job, through the relay of this one (src/mpi/relay.c says how they look). They arrive in order, or `gone` is told. */
struct post {
    int fd;
    uint32_t rank, size; /* this one, of so many */
    struct bytes in, out;
    bool *gone; /* by rank: has ended */
    bool ended; /* the relay is gone */
};

/* Waits until the relay says who we are. False if it does not. */
bool post_open(struct post *post, int fd, struct arena *arena);

/* A piece: its kind, and the rest. It goes on its way by the next post_take or post_flush. */
void post_send(struct post *post, uint32_t rank, uint8_t kind, const void *at, size_t size);

/* The same, with another byte behind the kind. */
void post_send_for(struct post *post, uint32_t rank, uint8_t kind, uint8_t more, const void *at,
                   size_t size);

/* Until all is on its way. */
void post_flush(struct post *post);

/* Waits so long at most, and gives what has come: first its kind; NULL and 0 if that rank is gone. */
void post_take(struct post *post, int milliseconds,
               void (*piece)(void *context, uint32_t rank, const uint8_t *at, uint32_t size),
               void *context);

#endif
