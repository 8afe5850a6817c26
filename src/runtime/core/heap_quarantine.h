#ifndef RADDLE_RUNTIME_CORE_HEAP_QUARANTINE_H
#define RADDLE_RUNTIME_CORE_HEAP_QUARANTINE_H

/* Freed blocks that wait to be handed out again, of one space of one thread: by the sizes that fit where they are, the one that was freed
 * first at the head. All zeros is empty. Part of heap.h. */

#include "runtime/core/heap.h"

/* Sizes of one class get the same room: 16 bytes apart up to here, eight classes to each doubling beyond. */
#define QUARANTINE_FINE    1024u
#define QUARANTINE_CLASSES (QUARANTINE_FINE / 16 + 1 + 24 * 8)

#define QUARANTINE_NONE UINT32_MAX

struct quarantine {
    struct {
        uint32_t first, last; /* 1 + their places in the table of the space, or 0 */
        uint32_t count;
    } queues[2][QUARANTINE_CLASSES]; /* those behind were made for an alignment of more than 16 */
};

/* How many bytes a block of that size gets, at most HEAP_BLOCK_MAX. */
size_t quarantine_room(size_t size);

/* blocks[index], which was just freed, waits from now on behind all others of its class. */
void quarantine_push(struct quarantine *quarantine, struct heap_block *blocks, uint32_t index);

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
