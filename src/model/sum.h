#ifndef RADDLE_MODEL_SUM_H
#define RADDLE_MODEL_SUM_H

#include "model/world.h"

/* Fingerprints of states. What the threads share is a sum, kept up to date change by change (world.sum): each word of memory and each object adds
 * what it holds at its place, less what it held in the beginning. So two states that differ in nothing have the same sum, however they
 * were reached. What each thread does by itself is looked at when a fingerprint is wanted.
 *
 * Left out is what no operation to come can notice: how often locks have been given back (their stamps), except
 * where somebody waits for that to change; and numbers of events. */

/* A word of memory, at an address divisible by eight, holds something else now. For targets: also to be called for memory that is written by
 * other means than operations. */
void sum_memory(struct world *world, uint64_t addr, uint64_t before, uint64_t after);

/* The same for an object, and for whose store a byte of memory was written by. */
void sum_object(struct world *world, loc_id loc, uint64_t before, uint64_t after);
void sum_writer(struct world *world, uint64_t addr, loc_id before, loc_id after);

/* Adds all that belongs to a thread but what its target knows: its status, its pending operation and its store buffers. */
void sum_thread(struct world *world, agent_id thread, struct fingerprint *into);

#endif
