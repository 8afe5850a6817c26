#ifndef RADDLE_EXPLORE_SEQUENCE_H
#define RADDLE_EXPLORE_SEQUENCE_H

#include "explore/branch.h"

/* One step of a sequence: an event of the execution, or (the last one) the operation of a race. */
struct sequence_step {
    struct choice choice;
    event_id event; /* EVENT_NONE for the operation of a race */
    const struct access *accesses;
    uint32_t access_count;
    bool inexact; /* may touch other things, too */
};

struct sequence_first {
    uint32_t stamp;
    uint32_t step; /* or UINT32_MAX */
};

/* v = notdep(first, E).q of optimal DPOR: all events after the first event of a race that do not happen
 * after it, and then the operation that shall come before it. Executable from the state before that
 * event. */
struct sequence {
    VEC(struct sequence_step) steps;
    uint32_t start;              /* the first of `steps` that is still part of it */
    VEC(struct access) accesses; /* of all steps */
    struct vclock pre;           /* what the last step needs */
    VEC(struct sequence_first)
    first;          /* by agent_id: its first step, so that nobody has to search */
    uint32_t stamp; /* of this sequence; what carries another is of an older one */
};

/* Builds the sequence of `race` from the events so far. It lives until the next one is built. */
void sequence_build(struct sequence *v, struct execution *x, const struct race *race);

/* Whether no step before step `i` has to come before it. */
bool sequence_is_initial(const struct sequence *v, const struct execution *x, uint32_t i);

/* The first step of `agent`, or UINT32_MAX. */
uint32_t sequence_first(const struct sequence *v, agent_id agent);

/* Whether the branch may come first in some sequence equivalent to v, or to v with the branch added: it is a
 * weak initial of v. If it is a step of v, *at is that step, else UINT32_MAX. */
bool sequence_may_start(const struct sequence *v, const struct execution *x,
                        const struct branch *branch, uint32_t *at);

void sequence_remove(struct sequence *v, uint32_t i);

#endif
