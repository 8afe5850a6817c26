#ifndef RADDLE_MODEL_CHANNEL_LIST_H
#define RADDLE_MODEL_CHANNEL_LIST_H

#include <stdbool.h>

#include "base/map.h"
#include "base/vec.h"

/* What a wait for one of several descriptors watches. */

enum channel_kind {
    CHANNEL_IS_READY, /* always: a file */
    CHANNEL_IS_READ_END,
    CHANNEL_IS_WRITE_END,
    CHANNEL_IS_SOCKET, /* connected; UNIX */
    CHANNEL_IS_TCP,
    CHANNEL_IS_DATAGRAM, /* connected, and does not end when the other goes */
    CHANNEL_IS_QUEUE,
    CHANNEL_IS_COUNTER,
    CHANNEL_IS_SET,  /* watched descriptors: `in` is the set */
    CHANNEL_IS_IDLE, /* a socket that is not connected */
};

/* One descriptor that is watched. All bytes count when lists are compared: clear it first. */
struct channel_item {
    uint64_t in;                /* the channel it reads from, or 0 */
    uint64_t out;               /* the channel it writes to, or 0 */
    uint64_t room;              /* units in `out` from which on it is not ready */
    uint64_t data;              /* the target's */
    uint32_t events;            /* what is waited for, as poll(2) has it */
    uint32_t fd;                /* the target's */
    uint8_t kind;               /* enum channel_kind */
    bool edge;                  /* only if something has arrived in a channel since it was seen */
    bool once;                  /* ready once, then never again until the target says so */
    bool off;                   /* that was it */
    uint16_t seen_in, seen_out; /* arrivals, or CHANNEL_UNSEEN */
};

#define CHANNEL_UNSEEN UINT16_MAX

typedef uint32_t channel_list_id;
#define CHANNEL_LIST_EMPTY 0u

struct channel_range {
    uint32_t first, count;
};

/* Lists of such items, each once: equal lists have equal numbers, for the whole search. */
struct channel_lists {
    struct arena *arena;
    VEC(struct channel_item) items;
    VEC(struct channel_range) lists;
    struct map by_hash;
};

void channel_lists_open(struct channel_lists *lists, struct arena *arena);

/* The number of a list; a copy is kept if it is new. */
channel_list_id channel_list_of(struct channel_lists *lists, const struct channel_item *items,
                                uint32_t count);

/* The items of a list; *count tells how many. Valid until the next new list. */
const struct channel_item *channel_list_items(const struct channel_lists *lists,
                                              channel_list_id list, uint32_t *count);

#endif
