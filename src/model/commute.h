#ifndef RADDLE_MODEL_COMMUTE_H
#define RADDLE_MODEL_COMMUTE_H

#include "model/world.h"

/* What is done to one thing in either order with the same result, so that only one order is a trace of its own: see docs/reductions.md. */

/* How a read-modify-write whose result nobody uses changes its cell: a mode that does not conflict with itself (ACCESS_SUM1…); ACCESS_WRITE
 * for every other operation. */
enum access_mode op_addition(const struct world *world, const struct op *op);

/* Eight bytes of memory after such an operation, of which only those that `mask` has count. */
uint64_t addition_redo(const struct op *op, uint64_t word, uint64_t mask);

/* Whether those who arrive at a barrier by that operation leave it together, the last one like the others; else that one goes on at
 * once. All arrivals of one search are of one kind. */
bool op_gathers(const struct world *world, const struct op *op);

/* How it touches the barrier. */
enum access_mode op_arrival(const struct world *world, const struct op *op);

#endif
