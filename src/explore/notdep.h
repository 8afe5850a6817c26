#ifndef RADDLE_EXPLORE_NOTDEP_H
#define RADDLE_EXPLORE_NOTDEP_H

#include "explore/execution.h"

/* notdep(e, E) of optimal DPOR: the events after the first one of a race that need not come after its operation, when that comes first
 * (race_leaves_out says which do). In their order, one by one. Of each agent they are a row without gaps: who does one thing after `first` does all
 * else after it, too. So what has to be looked at in a long run is no more than they are. One at a time, and no event may be added meanwhile. */
struct notdep {
    struct execution *x;
    const struct race *race;
    agent_id agent; /* of the first event of the race, */
    uint32_t step;  /* and which one of its agent that is */
    event_id
        at; /* the next one to look at, if all are looked at: where few are left, that is quicker */
    bool all;
};

void notdep_open(struct notdep *n, struct execution *x, const struct race *race);

/* The next one, or EVENT_NONE, where not all are looked at. */
event_id notdep_next_of_rows(struct notdep *n);

/* race_leaves_out, with what is the same for all of them at hand. */
static inline bool notdep_leaves_out(const struct notdep *n, event_id id)
{
    return vclock_get(event_clock(n->x, id), n->agent) >= n->step ||
           (n->race->other_count > 0 && race_leaves_out(n->x, n->race, id));
}

/* The same by looking at all of them. */
static inline event_id notdep_next_of_all(struct notdep *n)
{
    struct execution *x = n->x;

    for (; n->at < x->events.count && notdep_leaves_out(n, n->at); n->at++)
        x->looked++;
    return n->at < x->events.count ? n->at++ : EVENT_NONE;
}

/* The next one, or EVENT_NONE. */
static inline event_id notdep_next(struct notdep *n)
{
    return n->all ? notdep_next_of_all(n) : notdep_next_of_rows(n);
}

#endif
