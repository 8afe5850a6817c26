#ifndef RADDLE_MODEL_CHANNEL_H
#define RADDLE_MODEL_CHANNEL_H

/* Channels: what a pipe, one direction of a connection, a queue of connections to accept, and an event counter have in common. The
 * model counts what is in a channel and who holds its ends; what the bytes are is the target's business, which moves them in the
 * order in which the operations are done. Everything here is a pure function of states, so that an operation can be judged in any
 * state of the search. */

#include "model/channel_list.h"
#include "model/touch.h"

/* The state of a channel. A channel that was never used is open at both ends, with one holder each, and empty: 0.
 *   bits 0-30   units in it: bytes, messages, connections
 *   bit  31     CHANNEL_MARK: at its end, a reader is told once of a reset; of a queue: somebody listens
 *   bits 32-41  holders of the read end, less one (all ones: nobody); bit 42: that end was shut down
 *   bits 43-52  the same of the write end; bit 53
 *   bits 54-63  arrivals: how often there was something new to see: units, an end, room where none was
 * A queue has no write end: there it keeps how many may wait beyond the first.
 * A counter has no ends: its value is in bits 0-52, or how far it is from the most it can hold if bit 53 is set; arrivals as above.
 * A set of watched descriptors (epoll): the number of its list. */
#define CHANNEL_UNITS       ((uint64_t)0x7fffffff)
#define CHANNEL_MARK        ((uint64_t)1 << 31)
#define CHANNEL_READ_SHIFT  32
#define CHANNEL_WRITE_SHIFT 43
#define CHANNEL_HOLDERS     ((uint64_t)0x3ff)
#define CHANNEL_READ_SHUT   ((uint64_t)1 << 42)
#define CHANNEL_WRITE_SHUT  ((uint64_t)1 << 53)
#define CHANNEL_ARRIVAL     ((uint64_t)1 << 54)

/* Numbers of descriptors that are looked at for one that is free. The state of each is 0 if it is. */
#define CHANNEL_DESCRIPTORS 1000

/* What an event counter holds at most, and how it is kept. */
#define CHANNEL_COUNTER_MAX  (UINT64_MAX - 1)
#define CHANNEL_COUNTER_HIGH ((uint64_t)1 << 53)

static inline uint64_t channel_counter(uint64_t state)
{
    uint64_t low = state & (CHANNEL_COUNTER_HIGH - 1);

    return state & CHANNEL_COUNTER_HIGH ? CHANNEL_COUNTER_MAX - low : low;
}

/* The state of a counter with that value: false if it is one of those in the middle, which do not fit. */
static inline bool channel_counter_set(uint64_t value, uint64_t arrivals, uint64_t *state)
{
    uint64_t far = CHANNEL_COUNTER_MAX - value;

    if (value >= CHANNEL_COUNTER_HIGH && far >= CHANNEL_COUNTER_HIGH)
        return false;
    *state = (value < CHANNEL_COUNTER_HIGH ? value : CHANNEL_COUNTER_HIGH | far) |
             (arrivals & 0x3ff) * CHANNEL_ARRIVAL;
    return true;
}

/* struct op of a channel: addr the channel, value how many units, expect how many it holds at most, and in variant: */
enum channel_flag {
    CHANNEL_WHOLE = 1,     /* all units or none at once */
    CHANNEL_COUNTER = 2,   /* an event counter: a get takes all of it */
    CHANNEL_SEMAPHORE = 4, /* with CHANNEL_COUNTER: a get takes one */
    CHANNEL_LATE = 8,      /* TCP: the first write after the reader has gone still seems to work */
    CHANNEL_LASTING = 8,   /* get: of datagrams, which do not end when the writer goes */
    CHANNEL_QUEUE = 16,    /* connections to accept */
    CHANNEL_WRITER = 32,   /* close, dup, shut: the write end of `addr`; else its read end */
    CHANNEL_CANCELLED = 128, /* a wait ends if its thread was asked to end, too: gives -ECANCELED */
    CHANNEL_ABORTS = 1,      /* close: the reader of `addr` sees a reset in any case */
    CHANNEL_RESETS = 64, /* close: units left in `mutex` make the reader of `addr` see a reset */
};

/* What one operation does to one channel. */
struct channel_step {
    uint8_t touch;  /* enum touch */
    int64_t result; /* units moved, or an errno value below 0 */
    uint64_t state; /* afterwards */
};

/* GET, PEEK and PUT, and those that do not wait, in `state`. */
struct channel_step channel_step(const struct op *op, uint64_t state);

/* Whether somebody holds the end that op, a CLOSE, lets go of. */
bool channel_is_held(const struct op *op, uint64_t state);

/* CLOSE, DUP, SHUT, SET and LISTEN. `*addr` and, if op->mutex names a second channel, `*other` become the states afterwards. */
void channel_change(const struct op *op, uint64_t *addr, uint64_t *other);

static inline uint32_t channel_units(uint64_t state)
{
    return (uint32_t)(state & CHANNEL_UNITS);
}

static inline bool channel_has_reader(uint64_t state)
{
    return (state >> CHANNEL_READ_SHIFT & CHANNEL_HOLDERS) != CHANNEL_HOLDERS;
}

static inline bool channel_has_writer(uint64_t state)
{
    return (state >> CHANNEL_WRITE_SHIFT & CHANNEL_HOLDERS) != CHANNEL_HOLDERS;
}

/* Whether nothing will ever come after what is in it. */
static inline bool channel_at_end(uint64_t state)
{
    return (state & (CHANNEL_WRITE_SHUT | CHANNEL_READ_SHUT)) || !channel_has_writer(state);
}

static inline uint32_t channel_arrivals(uint64_t state)
{
    return (uint32_t)(state / CHANNEL_ARRIVAL);
}

/* ---- watching several (the lists are in channel_list.h) */

#define CHANNEL_SETS_DEEP 5 /* sets in sets: as the kernel has it */

/* What poll(2) would say of an item whose channels are in these states, of `events` and what is always told. */
uint32_t channel_events(const struct channel_item *item, uint64_t in, uint64_t out);

/* The same in a view, sets included: an item of kind CHANNEL_IS_SET is ready if one of its items is. */
uint32_t channel_item_events(struct world *world, const struct view *view,
                             const struct channel_item *item);

/* A wait for one of several: op->addr is a set whose state is the list, or 0; then op->value is the list. Which list it is in `view`. */
channel_list_id channel_poll_list(struct world *world, const struct view *view,
                                  const struct op *op);

#endif
