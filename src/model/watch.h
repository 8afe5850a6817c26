#ifndef RADDLE_MODEL_WATCH_H
#define RADDLE_MODEL_WATCH_H

#include "model/op.h"

struct world;
struct buffered_store;

/* Somebody who is told what happens in an execution, while it happens, and changes nothing: the search for data races. A
 * world without one pays a comparison for each operation. */
struct watch_ops {
    /* `thread` does what `op` says; `failed`: it does not get what it wanted and only reads. The world is still as
     * before. A store that goes into a buffer is told by `stored` instead. */
    void (*does)(struct world *world, agent_id thread, const struct op *op, bool failed);
    /* What `thread` has just done lets `woken` go on. */
    void (*wakes)(struct world *world, agent_id thread, agent_id woken);
    /* A store of `thread` has come into a buffer, and later from there into memory. */
    void (*stored)(struct world *world, agent_id thread, const struct op *op,
                   const struct buffered_store *store);
    void (*flushed)(struct world *world, agent_id thread, const struct buffered_store *store);
};

#endif
