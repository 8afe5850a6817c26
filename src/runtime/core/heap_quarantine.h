#ifndef RADDLE_RUNTIME_CORE_HEAP_QUARANTINE_H
#define RADDLE_RUNTIME_CORE_HEAP_QUARANTINE_H

/* Freed blocks that wait to be handed out again, of one space of one thread: by the sizes that fit where they are, the one that was freed
 * first at the head. All zeros is empty. Part of heap.h. */

#include "runtime/core/heap.h"

/* Sizes of one class get the same room: 16 bytes apart up to here, eight classes to each doubling beyond. */
#define QUARANTINE_FINE    1024u
#define QUARANTINE_CLASSES (QUARANTINE_FINE / 16 + 1 + 24 * 8)

#define QUARANTINE_NONE UINT32_MAX

/* In the order in which they were freed: 1 + their places in the table of the space, or 0. Blocks point to the next one. */
struct quarantine_queue {
    uint32_t first, last, count;
};

/* Those that threads with smaller numbers free for others can be handed out again. */
#define QUARANTINE_OTHERS 256u

struct quarantine {
    struct quarantine_queue
        queues[2][QUARANTINE_CLASSES]; /* those behind were made for an alignment of more than 16 */
    struct quarantine_queue others[QUARANTINE_OTHERS]; /* by the thread that freed them */
    uint32_t others_end; /* no thread from this number on has freed any */
    uint32_t others_count;
};

/* How many bytes a block of that size gets, at most HEAP_BLOCK_MAX. */
size_t quarantine_room(size_t size);

/* blocks[index], which was just freed, waits from now on behind all others of its class. */
void quarantine_push(struct quarantine *quarantine, struct heap_block *blocks, uint32_t index);

/* The same of one that another thread has freed: it waits apart; or for ever, if the number of that thread is too large. */
void quarantine_push_other(struct quarantine *quarantine, struct heap_block *blocks,
                           uint32_t index);

/* Takes out one of those that others freed and `knows` says to be free, or QUARANTINE_NONE: each thread's in their order, the threads by their numbers. */
uint32_t quarantine_pop_other(struct quarantine *quarantine, const struct heap_block *blocks,
                              bool (*knows)(uint32_t thread, uint32_t when));

/* What is asked for. */
struct quarantine_wish {
    size_t size, align;
    uint32_t least; /* that wait, or it is too early */
    int64_t ready;  /* not one that was retired after that */
};

/* Takes out the one that has waited longest of those of the right class. QUARANTINE_NONE: that one will not do, nor a few behind it. */
uint32_t quarantine_pop(struct quarantine *quarantine, struct heap_block *blocks,
                        const struct quarantine_wish *wish);

#endif
