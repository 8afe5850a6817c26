#ifndef RADDLE_MODEL_BUFFER_H
#define RADDLE_MODEL_BUFFER_H

#include "model/touch.h"
#include "model/world.h"

/* Store buffers: the part of the world between threads and memory under TSO and PSO. */

/* The agent of the buffer of `thread` that memory_ops.buffer_of calls `name`: always the same one, used in this execution or not. */
agent_id buffer_named(struct world *world, agent_id thread, uint64_t name);

/* Appends a store to the buffer it belongs to. */
void buffer_push(struct world *world, agent_id thread, const struct op *op);

/* The oldest waiting store of a buffer agent, or NULL. */
const struct buffered_store *buffer_head(const struct world *world, agent_id agent);

/* Whether that store may reach memory now: under PSO it waits for older stores of its thread that
 * overlap it, or that a release orders before it. */
bool buffer_can_flush(const struct world *world, agent_id agent);

/* Appends the events that the flush of that store had to wait for. */
void buffer_flush_causes(const struct world *world, agent_id agent, event_vec *causes);

/* Writes that store to memory. */
void buffer_flush(struct world *world, agent_id agent, event_id now);

/* Whether a store of `thread` to `addr` finds room under the bound. */
bool buffer_has_room(struct world *world, agent_id thread, uint64_t addr);

/* The flush that made that room, or EVENT_NONE. */
event_id buffer_room_cause(struct world *world, agent_id thread, uint64_t addr);

/* Which of the `size` bytes at `addr` a load of `thread` takes from its own waiting stores: bit i is byte i. */
uint32_t buffer_forwards(const struct world *world, agent_id thread, uint64_t addr, unsigned size);

/* For targets that run native code: puts the stores that wait into memory, so that code that knows nothing of buffers sees what its own
 * thread has stored; and takes them out again before anybody else looks. What that code wrote over a waiting store becomes
 * part of it. */
void buffer_show(struct world *world, agent_id thread);
void buffer_hide(struct world *world, agent_id thread);

/* Shows the newest store of `thread` to `addr`, just issued, besides those that are shown. */
void buffer_show_newest(struct world *world, agent_id thread, uint64_t addr);

/* Appends the last flush of each buffer of `thread`. */
void buffer_drain_causes(const struct world *world, agent_id thread, event_vec *causes);

/* `thread` gives a spinlock back by a store: puts that into its buffer. */
void buffer_push_unlock(struct world *world, agent_id thread, const struct op *op);

/* Whether such a store to the lock of `op`, which `thread` issued before that, is not in memory yet in `view`. */
bool buffer_unlocks(const struct world *world, const struct view *view, agent_id thread,
                    const struct op *op);

#endif
