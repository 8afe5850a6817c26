#ifndef RADDLE_EXPLORE_NOTDEP_H
#define RADDLE_EXPLORE_NOTDEP_H

#include "explore/execution.h"

/* notdep(e, E) of optimal DPOR: the events after the first one of a race that need not come after its operation, when that comes first
 * (race_leaves_out says which do). In their order, one by one. Of each agent they are a row without gaps: who does one thing after `first` does all
 * else after it, too. So what has to be looked at in a long run is no more than they are. One at a time, and no event may be added meanwhile. */
struct notdep {
    struct execution *x;
    const struct race *race;
    event_id
        at; /* the next one to look at, if all are looked at: where few are left, that is quicker */
    bool all;
};

void notdep_open(struct notdep *n, struct execution *x, const struct race *race);

/* The next one, or EVENT_NONE. */
event_id notdep_next(struct notdep *n);

#endif
