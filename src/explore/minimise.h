#ifndef RADDLE_EXPLORE_MINIMISE_H
#define RADDLE_EXPLORE_MINIMISE_H

#include "explore/explorer.h"
#include "explore/reduction.h"

/* A failing run made short: fewest switches between threads, then fewest steps; under a preemption bound never with more preemptions than it had. First the run itself, without what its
 * failure does not need, in the order with the fewest switches that keeps happens-before: that is the same run to all its threads.
 * Then other runs, near by: blocks of steps are moved together or left out, and what fails in the same way stays. */

struct minimise_goal {
    /* Whether the run in explorer->execution, which ended so, shows the same bug. */
    bool (*same)(void *context, struct explorer *explorer, enum ending ending);
    /* A better run has been found, and is in explorer->execution. May be NULL. */
    void (*better)(void *context, struct explorer *explorer);
    void *context;
    double seconds; /* to spend at most */
};

/* What is to be small, in this order. */
struct minimise_cost {
    uint32_t switches; /* from one thread to another; a store buffer that flushes is none */
    uint32_t steps;
};

struct minimise_result {
    struct minimise_cost before, after;
    uint32_t runs; /* that were tried */
};

/* `explorer` is open, with a run in its execution that shows the bug. Leaves the best run found there, executed. False
 * if even the same run again did not show the bug: then the execution is empty. */
bool minimise(struct explorer *explorer, const struct minimise_goal *goal,
              struct minimise_result *result);

#endif
