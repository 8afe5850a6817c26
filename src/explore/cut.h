#ifndef RADDLE_EXPLORE_CUT_H
#define RADDLE_EXPLORE_CUT_H

#include "explore/execution.h"
#include "model/touch.h"

/* The state in which an operation would run if it came before event `first`, and before some later ones: everything was done
 * that does not need any of them. */
struct cut {
    struct view view;
    struct execution *x;
    event_id first; /* the later ones: x->others */
    bool all;       /* nothing from there on was done, whatever it needs */
};

struct cut cut_before(struct execution *x, event_id first);

/* The state at `depth` itself. */
struct cut cut_at(struct execution *x, uint32_t depth);

/* Whether an event was not done there. */
bool cut_leaves_out(const struct cut *cut, event_id id);

#endif
