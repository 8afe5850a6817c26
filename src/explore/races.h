#ifndef RADDLE_EXPLORE_RACES_H
#define RADDLE_EXPLORE_RACES_H

#include "explore/execution.h"

/* An operation whose races are looked for: one about to be executed, one that was taken away by a signal,
 * or one that is held back for ever. */
struct suspect {
    agent_id agent;
    const struct op *op;
    struct vclock pre;             /* what it needs, apart from what its footprint conflicts with */
    const struct access *accesses; /* in the present state; NULL if it cannot run there */
    uint32_t access_count;
};

/* Adds to x->races every race of the suspect with an event, and joins into `full`, unless it is
 * NULL, the clocks of all events that the suspect conflicts with. */
void races_find(struct execution *x, const struct suspect *suspect, struct vclock *full);

/* Adds the other outcomes of event `id`, which is the last one and could have taken `outcomes`. */
void races_add_outcomes(struct execution *x, event_id id, struct vclock pre,
                        const outcome_vec *outcomes);

#endif
