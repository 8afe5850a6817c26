#ifndef RADDLE_DETECT_FUTURE_H
#define RADDLE_DETECT_FUTURE_H

#include "base/intern.h"
#include "detect/holder.h"
#include "detect/shadow.h"
#include "model/future.h"

/* Which accesses may follow a state, and what orders them behind those before it.
 *
 * The state of a program says nothing of clocks. So an access e to come is kept with its *source*: holders (holder.h) such that what one of
 * them knows in the state happens before e. An access a of thread p before the state, at time c, happens before e if and only if some holder
 * of the source has a clock whose entry for p is at least c. The source of an access of thread q, at the place where it is made, is q
 * itself; it is pulled back over the steps of a transition (passage.h), the last one first:
 *
 *     x learns from y    if x is in it, y comes to it
 *     x becomes y        if x is in it, y takes its place
 *
 * An item of a set is a segment of accesses with a source. It stands for a demand: all of them must be ordered behind all conflicting accesses
 * made so far. Of two items with the same segment, that with more in its source demands less, and is left out if what the other one has
 * is all in it. What is left is the same, in whichever order it came together; so are the numbers.
 *
 * Blocks (detector.blocks): an allocation before the state counts as a write there and then; an item that accesses the block demands
 * that it is ordered, as the detector does. Where a block is allocated after the state, there was none before it, or one that the same thread has freed: all that was
 * done with that comes before the free, and so before whatever is ordered behind the allocation. So nothing is demanded of its accesses that does not hold on each
 * way, and whether they are ordered behind the allocation is decided by the transitions between, which are the same on each way.
 *
 * All this holds as long as the execution has no race so far, like all that the detector says, and only for sessions in which each
 * transition begins with a tick (detect_tick) of its thread: else accesses that the detector knows already are not told to it. */

/* Lives as long as the search, which may be longer than a process. All zeros before it is opened. */
struct futures {
    struct arena *arena; /* NULL: not opened */
    struct map object_numbers;
    VEC(uint64_t) object_keys;
    struct intern segments; /* pairs of words: struct passage_span */
    struct intern sources;  /* holders, sorted, each name once */
    struct intern passages; /* struct passage_step */
    struct intern sets;     /* segment << 32 | source, sorted */
    struct map before, either;
    struct map pulled;  /* passage << 32 | source: the source before it */
    VEC(holder) source; /* scratch, as are these */
    VEC(uint64_t) items, moved;
};

/* From now on these tables are used, opened by this call or by a process before. After detect_open, before the first
 * execution. The arena must be at the same address in all processes. */
void future_open(struct futures *futures, struct arena *arena);

/* From here on transitions are logged, or no longer. Off in the beginning, and after a restart: to be switched on in the state where the first new
 * transition begins. Nobody may ask what a transition was that was not logged. */
void future_log(bool on);

extern const struct future_ops detect_future;

/* How much memory the tables take. */
uint64_t future_bytes(void);

/* The number in HOLDER_RELEASED and HOLDER_SHARED of the object that has that key in sync.object_numbers, and back. */
uint32_t future_object(uint64_t key);
uint64_t future_object_key(uint32_t number);

#endif
