#ifndef RADDLE_CLUSTER_LINK_H
#define RADDLE_CLUSTER_LINK_H

#include <sys/types.h>

#include "cluster/worker.h"

/* A worker's end of a stream of messages, each with its length before it (four bytes). */
struct link {
    uint32_t number; /* of the worker */
    int fd;
    const volatile uint32_t *
        mail; /* another number each time that something was sent: asking the kernel in every run would cost too much */
    uint32_t seen;    /* the one that was there at the last look */
    struct bytes in;  /* what has come and was not given to the worker */
    struct bytes now; /* the message that it has been given */
    /* How the process asks its kernel. `wait`: until there is something. */
    ssize_t (*receive)(int fd, void *at, size_t size, bool wait);
    ssize_t (*send)(int fd, const void *at, size_t size);
    /* Before the worker's messages are sent: puts into `first` what has to arrive before them. NULL is fine. */
    void (*before)(void *context, struct bytes *first);
    void *context;
};

/* Sends what the worker has to say. False if nobody listens any more. */
bool link_flush(struct link *link, struct worker *worker);

/* Gives the worker what has come; waits for something if it has nothing to do. False if the other end is gone. */
bool link_take(struct link *link, struct worker *worker);

/* In the midst of a run: waits for a message that is an answer, by `is_answer`, and takes it out of those that have come: the others wait. False if the other end is gone. */
bool link_await(struct link *link,
                bool (*is_answer)(const uint8_t *at, uint32_t size, struct bytes_reader *in),
                struct bytes *answer);

/* Works until the search is over or the other end is gone. */
void link_serve(struct link *link, struct worker *worker);

/* The next whole message in `in` from `*at` on, and its size; NULL if it is not all there. */
const uint8_t *link_next(const struct bytes *in, uint32_t *at, uint32_t *size);

/* The length of a message that follows. */
void link_length(struct bytes *out, uint32_t size);

#endif
