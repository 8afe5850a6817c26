#ifndef RADDLE_CLUSTER_WORKER_H
#define RADDLE_CLUSTER_WORKER_H

#include "cluster/message.h"
#include "explore/work.h"

/* Sequences that were told are not told again, as far as this many are remembered. */
#define WORKER_TOLD 1024

/* What a run has found for states above: sequences to be inserted, or choices to be tried. */
struct worker_found {
    struct work names_of;
    struct work_names names;
    struct bytes bytes;
    uint32_t count;
};

/* One of many that search together. It explores one item at a time, with an explorer of its own, and tells the coordinator what has to be tried above. */
struct worker {
    struct above above; /* first: the explorer's nodes call it */
    struct explorer *explorer;
    struct arena *arena;   /* of the explorer, too */
    struct arena *scratch; /* for one message */
    uint32_t limit;        /* branches that it keeps before it gives any away */
    bool busy;             /* has an item */
    bool fresh;            /* and has made no run in it yet */
    bool tells;            /* what is left of it has to be told after the next run */
    bool wanted;           /* somebody wants work */
    bool has_nothing;      /* and has been told that there is none to give away yet */
    bool stopped;
    bool gives_up; /* for a reason in the statistics: then the whole search ends */
    bool failed;   /* the program is not deterministic */
    uint32_t item;
    struct explorer_stats
        told; /* of the explorer's statistics, what the coordinator counts already */
    uint64_t told_hashes[WORKER_TOLD];
    struct bytes out; /* messages, each with its length before it (four bytes) */

    struct worker_found inserts, plans; /* of the run under way */
};

/* The explorer is open, and not begun. `out` fills with messages; whoever sends them empties it. */
void worker_open(struct worker *worker, struct explorer *explorer, struct arena *memory,
                 uint32_t limit, const struct work_identity *identity);

/* Takes a message. */
void worker_receive(struct worker *worker, const void *at, size_t size);

/* Makes one run, and maybe gives something away. False if there is nothing to do until a message comes. */
bool worker_advance(struct worker *worker);

/* The search of the explorer has been stopped for a reason in its statistics: tells what was done so far. */
void worker_stop(struct worker *worker);

/* Tells how far it is. */
void worker_tell_stats(struct worker *worker);

/* A message with these bytes for those who use the cluster. */
void worker_tell_bug(struct worker *worker, const void *at, size_t size);

/* Statistics as bytes: what was done since `told`. */
void stats_write(const struct explorer_stats *stats, const struct explorer_stats *told,
                 struct bytes *out);
/* Adds what is read. */
void stats_read(struct explorer_stats *stats, struct bytes_reader *in);

/* Names of agents and locations alone. */
void names_write(const struct work *work, struct bytes *out);
bool names_read(struct work *work, struct arena *arena, struct bytes_reader *in);

#endif
