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
    event_id after; /* no event from this number on is part of `pre` */
    bool runs;      /* it is the next event */
};

/* Adds to x->races every race of the suspect with an event, and joins into `full`, unless it is
 * NULL, the clocks of all events that the suspect conflicts with. That is suspect->pre itself, which is what the suspect needs until the races are found. */
void races_find(struct execution *x, const struct suspect *suspect, struct vclock *full);

/* An operation that may follow the state before event `end`, and the clock of what its agent needs there: calls `each` for the events before `end` that it could have come
 * before, apart from those that happen before one of them. Nothing is known of what lies between, so some of them may not be possible (not `certain`); whoever
 * waits for one object is judged by the state of that one. */
void races_ahead(struct execution *x, const struct suspect *suspect, event_id end,
                 void (*each)(void *context, event_id first, const struct suspect *suspect,
                              bool certain),
                 void *context);

/* What a suspect that cannot run looks at while it waits: up to FOOTPRINT_MAX accesses, into `into`. Their number. */
uint32_t suspect_looks(struct execution *x, const struct suspect *suspect, struct access *into);

/* Whether the operation waits for one object alone, so that its state before an event tells whether it could come before that. */
bool op_waits_for_one(const struct op *op);

/* Adds the other outcomes of event `id`, which is the last one and could have taken `outcomes`. */
void races_add_outcomes(struct execution *x, event_id id, struct vclock pre,
                        const outcome_vec *outcomes);

#endif
