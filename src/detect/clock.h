#ifndef RADDLE_DETECT_CLOCK_H
#define RADDLE_DETECT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "detect/holder.h"

/* A moment in a thread: its number in the high bits, its own clock, which advances when it releases something, in the low ones. 0 is
 * no moment: clocks begin at 1. */
typedef uint32_t epoch;

#define EPOCH_CLOCK_BITS 21
#define EPOCH_CLOCK_MAX  (((uint32_t)1 << EPOCH_CLOCK_BITS) - 1)
#define EPOCH_THREAD_MAX                                                                           \
    2047u /* the numbers of threads are smaller; this one marks something else */

/* No thread is ever there, and no vector of clocks has an entry for it. (0 will not do: vectors have 0 for threads that were not there.) */
#define EPOCH_NEVER (EPOCH_THREAD_MAX << EPOCH_CLOCK_BITS)

static inline epoch epoch_of(uint32_t thread, uint32_t clock)
{
    return thread << EPOCH_CLOCK_BITS | clock;
}

static inline uint32_t epoch_thread(epoch e)
{
    return e >> EPOCH_CLOCK_BITS;
}

static inline uint32_t epoch_clock(epoch e)
{
    return e & EPOCH_CLOCK_MAX;
}

/* What is known of each thread: by its number, the clock up to which its doings come before. All zeros if `generation` is not
 * that of the present execution. */
struct clock {
    holder name; /* whose it is, or HOLDER_NONE */
    uint32_t generation;
    uint32_t count; /* of `at`; all behind is 0 */
    uint32_t room;
    uint32_t *at;
};

/* Where clocks live, and which execution it is. */
struct clock_space {
    struct arena *arena;
    uint32_t generation;
};

static inline uint32_t clock_get(const struct clock_space *space, const struct clock *clock,
                                 uint32_t thread)
{
    return clock->generation == space->generation && thread < clock->count ? clock->at[thread] : 0;
}

static inline bool clock_is_empty(const struct clock_space *space, const struct clock *clock)
{
    return clock->generation != space->generation || clock->count == 0;
}

void clock_clear(const struct clock_space *space, struct clock *clock);
void clock_set(const struct clock_space *space, struct clock *clock, uint32_t thread,
               uint32_t value);

/* Whether `clock` knows all that `other` knows. */
bool clock_knows(const struct clock_space *space, const struct clock *clock,
                 const struct clock *other);

/* Makes `to` know all that `from` knows, too. */
void clock_join(const struct clock_space *space, struct clock *to, const struct clock *from);

#endif
