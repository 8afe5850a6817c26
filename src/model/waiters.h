#ifndef RADDLE_MODEL_WAITERS_H
#define RADDLE_MODEL_WAITERS_H

#include "base/map.h"
#include "base/vec.h"
#include "model/op.h"

/* A set of threads, as a number: equal sets have equal numbers. So the state of a condition fits in
 * 64 bits like that of any other object, and can be looked up in the past of an execution. */
typedef uint32_t waiters_id;
#define WAITERS_EMPTY 0u

struct waiters_range {
    uint32_t first, count;
};

/* All sets seen so far in the search. */
struct waiters_table {
    struct arena *arena;
    VEC(agent_id) members;          /* of all sets, one after the other, each sorted */
    VEC(struct waiters_range) sets; /* by waiters_id: where its members are */
    struct map by_hash;             /* hash of the members -> waiters_id */
};

void waiters_open(struct waiters_table *table, struct arena *arena);

/* The members of `set`, sorted; *count tells how many. Valid until the next set is made. */
const agent_id *waiters_members(const struct waiters_table *table, waiters_id set, uint32_t *count);

bool waiters_has(const struct waiters_table *table, waiters_id set, agent_id thread);

/* `set` with `thread` once more, or once less. */
waiters_id waiters_add(struct waiters_table *table, waiters_id set, agent_id thread);
waiters_id waiters_remove(struct waiters_table *table, waiters_id set, agent_id thread);

#endif
