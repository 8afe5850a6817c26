#ifndef RADDLE_MODEL_TARGET_H
#define RADDLE_MODEL_TARGET_H

#include "base/fingerprint.h"
#include "model/op.h"

struct world;
struct target;

/* A program that can be restarted and stepped. The world keeps what threads share and asks the target
 * only to run one thread up to its next visible operation. While it runs, a target hands its plain
 * stores to world_buffer_store first: under TSO and PSO they are invisible. */
struct target_ops {
    /* Back to the initial state: sets memory and objects, and calls world_start for each thread that
     * runs from the beginning. */
    void (*restart)(struct target *target, struct world *world);
    /* Runs a thread that was just started up to its first visible operation, into *next. */
    void (*start)(struct target *target, struct world *world, agent_id thread, struct op *next);
    /* Goes on after a visible operation that gave `result`, up to the next one, into *next. The end of
     * a thread is the visible operation OP_THREAD_EXIT. If others have gone on meanwhile (world_follow), *next is that of world->acting. */
    void (*resume)(struct target *target, struct world *world, agent_id thread, cell_value result,
                   struct op *next);

    /* ---- for searches that compare states; all NULL if the target cannot tell */

    /* Adds what decides what a running thread does from its pending operation on, apart from that operation and from what the threads
     * share. False: it cannot be told now, and the state is like no other. */
    bool (*local)(struct target *target, struct world *world, agent_id thread,
                  struct fingerprint *into);
    /* The same for what the threads share, apart from what the world knows (sum.h). */
    bool (*shared)(struct target *target, struct world *world, struct fingerprint *into);
    /* Remembers the local state of a thread that is about to take a transition, and tells afterwards what that has changed in it: adds
     * nothing if nothing is different. False: that is not known. */
    void (*note)(struct target *target, struct world *world, agent_id thread);
    bool (*change)(struct target *target, struct world *world, agent_id thread,
                   struct fingerprint *into);
    /* Whether other threads, too, may change the local state of that one: then what its own transitions change does not say what it is. The same
     * all through a search. NULL: they never do. */
    bool (*is_open)(struct target *target, struct world *world, agent_id thread);

    /* ---- for searches that look for interchangeable threads (alike.h); NULL if the target cannot tell */

    /* Whether two running threads, of which the world has nothing to tell them apart, will do the same from here on, with the names of the two exchanged. With a `past` they may have let others know
     * where memory of their own is. If they are not alike, *reason says why, in words that stay good until the next call. */
    bool (*alike)(struct target *target, struct world *world, agent_id a, agent_id b, bool past,
                  const char **reason);
    /* Whether they began with the same code and the same arguments: so that as long as both do the same operations and get the same from them, they also do
     * the same without the world seeing it. NULL: nothing is done unseen. */
    bool (*began_alike)(struct target *target, struct world *world, agent_id a, agent_id b);
};

/* The first member of each kind of target. */
struct target {
    const struct target_ops *ops;
    /* What it calls memory and objects may be elsewhere in another process: `extent` addresses from `base` on. 0: all are the same everywhere. */
    uint64_t base, extent;
    /* In a replay it may let threads go on by itself, and does so by world_follow. May change when a run begins. */
    bool follows;
};

#endif
