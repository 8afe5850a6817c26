#ifndef RADDLE_MODEL_WORLD_COPY_H
#define RADDLE_MODEL_WORLD_COPY_H

#include "model/world.h"

/* What a world holds of its execution at one moment, so that it can be brought back to it: the states of objects, threads and store buffers. Not
 * memory, which is the target's, and not what is the same in all executions: names of agents and locations, sets of threads. */

struct copied_object {
    loc_id loc;
    uint64_t state;
};

struct copied_writers {
    loc_id loc;
    struct word_writers writers;
};

/* A buffer that was used; its stores are world_copy.stores.at[first …]. */
struct copied_buffer {
    agent_id agent, next;
    uint32_t head, first, count;
};

struct world_copy {
    event_id now;
    agent_id acting;
    struct fingerprint sum;
    VEC(struct thread) threads;
    VEC(struct need) needs;
    VEC(event_id) together;
    VEC(agent_id) active;
    VEC(struct copied_object) objects;
    VEC(struct copied_writers) writers;
    VEC(struct copied_buffer) buffers;
    VEC(struct buffered_store) stores;
};

/* Between two steps. What the copy held before is replaced; its memory is the arena's. */
void world_copy_take(struct world_copy *copy, struct arena *arena, const struct world *world);

/* Brings the world back. Its target must be in the same state as then. */
void world_copy_put(const struct world_copy *copy, struct world *world);

#endif
