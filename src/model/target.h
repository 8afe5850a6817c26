#ifndef RADDLE_MODEL_TARGET_H
#define RADDLE_MODEL_TARGET_H

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
     * a thread is the visible operation OP_THREAD_EXIT. */
    void (*resume)(struct target *target, struct world *world, agent_id thread, cell_value result,
                   struct op *next);
};

/* The first member of each kind of target. */
struct target {
    const struct target_ops *ops;
};

#endif
