#ifndef RADDLE_EXPLORE_REDUCTION_SHARING_H
#define RADDLE_EXPLORE_REDUCTION_SHARING_H

#include "base/bytes.h"
#include "explore/reduction.h"

/* What `sharing` has seen in all runs so far, for a search that is gone on with by another process: without it nothing would be lost, but other runs would be
 * made. Numbers of agents must be the same there. */

struct sharing_owner {
    uint64_t addr;
    agent_id agent;
    uint8_t kind; /* enum object_kind */
};

typedef VEC(struct sharing_owner) sharing_owner_vec;

void sharing_write(const struct reduction *reduction, struct bytes *out);
void sharing_read(struct reduction *reduction, const sharing_owner_vec *owners);

#endif
