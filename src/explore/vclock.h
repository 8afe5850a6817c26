#ifndef RADDLE_EXPLORE_VCLOCK_H
#define RADDLE_EXPLORE_VCLOCK_H

#include <string.h>

#include "base/vec.h"
#include "model/op.h"

/* For each agent, how many of its events lie in a set that is closed under happens-before. A clock may
 * be shorter than there are agents: the missing entries are 0. */
struct vclock {
    uint32_t *at; /* by agent_id */
    uint32_t width;
};

static inline uint32_t vclock_get(struct vclock clock, agent_id agent)
{
    return agent < clock.width ? clock.at[agent] : 0;
}

/* The union; `into` must be at least as wide. */
static inline void vclock_join(struct vclock into, struct vclock from)
{
    for (uint32_t i = 0; i < from.width; i++)
        if (into.at[i] < from.at[i])
            into.at[i] = from.at[i];
}

static inline void vclock_clear(struct vclock clock)
{
    memset(clock.at, 0, clock.width * sizeof *clock.at);
}

static inline void vclock_copy(struct vclock into, struct vclock from)
{
    memcpy(into.at, from.at, from.width * sizeof *from.at);
    if (from.width < into.width)
        memset(into.at + from.width, 0, (into.width - from.width) * sizeof *into.at);
}

#endif
