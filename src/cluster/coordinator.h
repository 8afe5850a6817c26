#ifndef RADDLE_CLUSTER_COORDINATOR_H
#define RADDLE_CLUSTER_COORDINATOR_H

#include "cluster/message.h"
#include "cluster/twig.h"

/* A worker as the coordinator sees it. */
struct coordinator_worker {
    bool here;         /* has said that it is ready, and is not lost */
    bool next;         /* is among those to be asked for work next */
    bool asked;        /* for work, and has not answered yet */
    bool tells;        /* was asked what is left of its item, and has not answered yet */
    bool has_nothing;  /* to give away yet: it will when it has, and others are asked meanwhile */
    struct twig *twig; /* what it explores, or NULL: it has nothing to do */
    uint32_t item;
    VEC(uint64_t)
    told; /* by depth: since when it knows the branches behind its path there (twigs.clock) */
    struct bytes
        rest_bytes; /* what is left of that, as it has told last; empty: all of it, or `rest` */
    struct work *
        rest; /* the same, if somebody has had to look at it (coordinator_rest), or had it before */
    struct arena rest_arena;
    struct explorer_stats ahead; /* done, but not counted yet: lost if the worker is */
};

struct coordinator_options {
    struct work_identity identity;
    const struct reduction_ops *reduction;
    bool compares; /* the workers compare states, each with those that it has seen */
    uint32_t workers;
    /* A worker tells of a bug. May be NULL. */
    void (*bug)(void *context, uint32_t worker, const void *at, size_t size);
    void *context;
};

/* Hands out the parts of a search, and keeps the tree above them. */
struct coordinator {
    struct coordinator_options options;
    struct arena *arena;
    struct arena scratch; /* for one message */
    struct twigs twigs;
    VEC(struct coordinator_worker) workers;
    VEC(struct arena) rests; /* of workers that are lost: what they had left may be somebody's */
    uint32_t items;          /* handed out so far */
    VEC(uint32_t) idle;      /* workers that have nothing to do */
    uint32_t busy;           /* workers that have an item */
    uint32_t asked;          /* of these, those that were asked for work */
    uint32_t silent;         /* of these, those that have had nothing to give away yet */
    VEC(uint32_t)
    next; /* whom to ask next for work, from `next_first` on; those who are not busy any more, or have been asked, are passed over */
    uint32_t next_first;
    struct explorer_stats stats; /* of what is explored and counted */
    bool dismissed;              /* the workers are, and so are those who come later */
    bool stopped;                /* before the end */
    bool failed;                 /* for the reason in `why` */
    char why[200];
    uint64_t received, sent; /* messages */
    VEC(struct message) out; /* to be sent; whoever does sets its count to 0 */
};

/* Returns 0, or -1 if memory is short. */
int coordinator_open(struct coordinator *coordinator, struct arena *arena,
                     const struct coordinator_options *options);
void coordinator_close(struct coordinator *coordinator);

/* The search has begun elsewhere: this is left of it, and counts from there. Before the first message. */
void coordinator_begin(struct coordinator *coordinator, struct work *work);

/* As bytes: all that has to be known to go on with the search without any of the workers (coordinator_state.c). */
void coordinator_write(const struct coordinator *coordinator, struct bytes *out);

/* Instead of coordinator_begin. False if it is damaged. */
bool coordinator_read(struct coordinator *coordinator, struct bytes_reader *in);

/* Takes a message of a worker. */
void coordinator_receive(struct coordinator *coordinator, uint32_t worker, const void *at,
                         size_t size);

/* A worker is gone, with all that it has not told. What it had is handed out again. */
void coordinator_lost(struct coordinator *coordinator, uint32_t worker);

/* Ends the search early: nothing is handed out any more. What workers have done so far counts as told by their last words. */
void coordinator_stop(struct coordinator *coordinator);

/* The workers may go. */
void coordinator_dismiss(struct coordinator *coordinator);

/* Asks the busy ones how far they are. */
void coordinator_ask_stats(struct coordinator *coordinator);

/* What is left of the item of a worker that has one, as it or the one before it has told; NULL: all of it. */
struct work *coordinator_rest(struct coordinator *coordinator, uint32_t worker);

/* Asks them what is left of their items: then that is all that is lost if they are. */
void coordinator_ask_rest(struct coordinator *coordinator);

/* All that were asked have told, are done or lost. */
bool coordinator_has_rest(const struct coordinator *coordinator);

/* The search cannot go on, for that reason. */
void coordinator_fail(struct coordinator *coordinator, const char *why);

/* Everything is explored. */
bool coordinator_is_done(const struct coordinator *coordinator);

/* The statistics with what workers have done since they told last. */
struct explorer_stats coordinator_stats(const struct coordinator *coordinator);

/* What was sent is no longer needed. */
void coordinator_sent(struct coordinator *coordinator);

#endif
