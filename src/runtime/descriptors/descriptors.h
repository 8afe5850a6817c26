#ifndef RADDLE_RUNTIME_DESCRIPTORS_DESCRIPTORS_H
#define RADDLE_RUNTIME_DESCRIPTORS_DESCRIPTORS_H

/* Descriptors that a thread can wait for: pipes, sockets, event counters, sets of watched descriptors. The kernel gives them their
 * numbers and knows their options; what goes through them stays in this process, so that it is the engine that decides who
 * waits and what a call finds. All of it is forgotten at a restart. Only calls of program threads come here. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "model/channel.h"
#include "runtime/program/native.h"

#define CHANNELS_DESCRIPTORS (1 << 20)
#define CHANNELS_POLL_MAX    500 /* descriptors in one wait; more are not modelled */

/* Objects of the model: a channel is named by the thread that made it and its rank among those; others by what they are. */
#define CHANNELS_BY_ADDRESS                                                                        \
    ((uint64_t)1 << 58) /* a queue of connections: by the address where it is */
#define CHANNELS_BY_DESCRIPTOR                                                                     \
    ((uint64_t)1 << 57) /* a number that one thread closes and another uses */
#define CHANNELS_BY_FILE   ((uint64_t)1 << 56)
#define CHANNELS_NAME_MASK (CHANNELS_BY_FILE - 1)

/* One message of a socket that keeps them apart. */
struct message {
    size_t size;
    struct sockaddr_storage from;
    socklen_t from_size;
};

struct description;

/* What is in a channel. */
struct channel {
    uint64_t name;
    struct channel *next; /* all of this execution, newest first */
    const struct raddle_site *made;
    const char *what;  /* "pipe", … */
    int fd;            /* the number its reader had first */
    uint64_t capacity; /* units it holds at most */
    char *bytes;       /* [first, first + used) of `room` */
    size_t first, used, room;
    VEC(struct message) messages;          /* those not read are from `first_message` on */
    VEC(struct description *) connections; /* of a queue: the accepting ends */
    uint32_t first_message, first_connection;
    uint64_t counter;
};

enum description_kind {
    DESCRIPTION_PIPE,   /* one of in, out */
    DESCRIPTION_SOCKET, /* not connected, or listening if `in` */
    DESCRIPTION_LISTENER,
    DESCRIPTION_STREAM,   /* both */
    DESCRIPTION_MESSAGES, /* both */
    DESCRIPTION_COUNTER,
    DESCRIPTION_SET,
    DESCRIPTION_OTHER,   /* what no thread can wait for: a timer, signals, … */
    DESCRIPTION_OUTSIDE, /* the other end is in another process */
};

/* Who has used something that can be changed, since there were several threads the last time. */
struct users {
    uint32_t phase; /* native.phase: that time */
    uint32_t first; /* thread */
    bool several;
    bool changed;
};

/* What one or several descriptors stand for. */
struct description {
    uint64_t name;      /* the object that stands for its flags and options */
    struct users users; /* of these */
    uint8_t kind;       /* enum description_kind */
    bool nonblocking;
    bool semaphore;           /* of a counter */
    bool timed_in, timed_out; /* SO_RCVTIMEO, SO_SNDTIMEO */
    bool bound;
    bool cut;        /* datagrams: the other end was found gone */
    bool connecting; /* in progress, as a call that does not wait says */
    int domain, type;
    uint32_t descriptors; /* that stand for it */
    uint32_t busy;        /* threads in a call on it */
    uint32_t backlog;
    struct channel *in, *out;
    struct sockaddr_storage local, peer;
    socklen_t local_size, peer_size;
    struct outside *outside;
    void (*gone)(struct description *d); /* the last of its descriptors was closed; or NULL */
    struct description *next;            /* sets: all of this execution */
};

/* ---- descriptors.c */

/* What a descriptor stands for, or NULL if it is not one of these. */
struct description *channels_find(int fd);

/* The same for a call that uses it, or changes its flags or options, and for files, too: a scheduling point if another thread closes it
 * or changes them. */
struct description *channels_use(int fd);
struct description *channels_change(int fd);

/* As channels_use for a call that goes on with files_shared if this gives NULL. */
struct description *channels_or_file(int fd);

/* For files_shared: the running thread uses that number. The object that stands for it if that must be part of the step, else 0. */
uint64_t channels_number(int fd);

/* Another one when the number has been closed, or made to stand for something else. */
uint32_t channels_version(int fd);

/* A new description, for a descriptor that the kernel has just given; to be named by channels_add. */
struct description *channels_new(enum description_kind kind);
void channels_add(int fd, struct description *description);
struct channel *channels_channel(const char *what, int fd);
struct channel *channels_queue(uint64_t name, int fd);

/* The one of that name, which may be new. */
struct channel *channels_named(const char *what, uint64_t name, int fd);
uint64_t channels_name(void);

/* Lets go of the ends of a connection that nobody has accepted. */
void channels_drop(struct description *d);

/* The program closes `fd`, which may be a file, or puts something else there at once if it `replaces` it. Before the kernel does so, which then
 * comes in the same step; false if another thread has closed it just before. What it stood for, or NULL, is let go of behind that. */
bool channels_close(int fd, bool replaces, struct description **rest);
void channels_let_go(struct description *rest);

/* What `fd` stands for is to have one descriptor more, whose number is told later. NULL if it is none of these. */
struct description *channels_hold(int fd);
void channels_held(int fd, struct description *held);

/* The program has made `to` a duplicate. */
void channels_duplicate(int from, int to);

/* Asks the engine for an operation on a channel. Below 0: an errno value. */
int64_t channels_ask(enum op_kind kind, uint64_t name, uint64_t value, uint64_t room,
                     unsigned flags);

/* A try of a call that has some time to wait (SO_RCVTIMEO…): if it fails, signals that have come meanwhile end the call. */
int64_t channels_ask_timed(enum op_kind kind, uint64_t name, uint64_t value, uint64_t room,
                           unsigned flags);

/* O_NONBLOCK of it is about to change. */
void channels_flagging(const struct description *d, bool nonblocking);

/* The program waits for one of DESCRIPTION_OTHER. */
void channels_unknown(const struct description *d);

/* Flags of an operation that waits: it ends, with -ECANCELED, if its thread is asked to end. Then call native_cancel_point. */
unsigned channels_cancellable(void);

/* -1, with errno. */
int channels_fail(int error);

void channels_put(struct channel *channel, const void *from, size_t size);
void channels_get(struct channel *channel, void *to, size_t size);
void channels_skip(struct channel *channel, size_t size);
void channels_message(struct channel *channel, const struct message *message);
void channels_connection(struct channel *queue, struct description *end);

/* Memory that lasts for this execution. */
void *channels_alloc(size_t size);
void channels_free(void *block, size_t size);

/* A number that the search keeps over its executions; MAP_ABSENT if there is none. */
uint32_t channels_recall(uint64_t key);
void channels_remember(uint64_t key, uint32_t value);

/* Of the one who watches descriptors: called when the last descriptor of a description was closed. */
void channels_on_gone(void (*gone)(struct description *d));

/* Who says which number something gets that is opened. */
enum numbers_by {
    NUMBERS_BY_KERNEL,
    NUMBERS_BY_MODEL,  /* several threads open and close: these are steps */
    NUMBERS_BY_THREAD, /* too many for that */
};

/* As it has been seen to be needed so far; for the next run. */
enum numbers_by channels_numbers_by(void);

/* That many are opened while there are several threads: the search begins anew. */
void channels_numbers_are_many(void);

/* The running thread has got this number for something that it has opened. */
void channels_numbered(int fd);

/* For a number that one of these has: the object of the model. */
static inline uint64_t channels_number_name(int fd)
{
    return CHANNELS_BY_DESCRIPTOR | (uint32_t)fd;
}

/* ---- number.c: the number, not below `first`, under which the program finds what the kernel has just opened as `fd` */
int files_number_from(int fd, int first);

static inline int files_number(int fd)
{
    return files_number_from(fd, 0);
}

/* That number is free from now on, or taken: a step, if the model says which are. False if it was none. */
bool numbers_set(int fd, bool taken);

/* `fd` is to get its number after a step of another one: out of the way, if the model says which. */
int numbers_aside(int fd);

/* When the image is saved: which there are at the start. */
void numbers_saved(void);

#endif
