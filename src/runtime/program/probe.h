#ifndef RADDLE_RUNTIME_PROGRAM_PROBE_H
#define RADDLE_RUNTIME_PROGRAM_PROBE_H

/* A loop that waits and looks at a clock, and has come back moved in time (core/spin_image.h), is tried out: its next rounds are run with
 * ever more time passing, while nobody else moves. They are no steps: they read again what the round before has read, so where others come in
 * between makes no difference. If it comes back each time, until years have passed, it only waits.
 *
 * If it does anything else at some time, it has a limit there. That time is remembered, the run is given up and the search begins anew: from then on the
 * round in which it happens is one of steps, like any other. */

#include "model/op.h"
#include "runtime/hooks.h"

struct probe {
    bool on;
    bool warm;                      /* has come back since */
    const struct raddle_site *site; /* the place that the loop is to come back to, */
    const void *state;              /* and whose state is compared there */
    uint64_t elapsed;               /* seconds since the thread last did anything but wait, */
    uint64_t before;                /* and when it was there */
    uint32_t operations;            /* since it was there */
    struct {
        uint64_t addr;
        int change; /* 1: taken, -1: given back, but not in the model */
    } locks[8];
    uint32_t lock_count;
};

/* At `site`, with the state that is kept at `state`: the thread is there again, some time later. */
void probe_again(struct probe *probe, const struct raddle_site *site, const void *state);

/* It is there, but in another state. */
void probe_differs(struct probe *probe);

/* It has written something. */
void probe_fails(struct probe *probe);

/* It is there again after years: true if it only waits. Then all that follows is steps. */
bool probe_ends(struct probe *probe, const void *state);

/* While it is on: whether the operation is done without a step; then *result is what comes of it. */
bool probe_does(struct probe *probe, const struct op *op, cell_value *result);

#endif
