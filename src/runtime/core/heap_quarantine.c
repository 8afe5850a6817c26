#include "runtime/core/heap_quarantine.h"

/* How many at the head of a queue are looked at for one that is aligned well enough. The others go to its end. */
#define TURNS 4

/* Beyond QUARANTINE_FINE: the power of two below the size, and how far apart classes are from there to the next one. */
static unsigned power_below(size_t size)
{
    return 63 - (unsigned)__builtin_clzl(size - 1);
}

size_t quarantine_room(size_t size)
{
    size_t step = size <= QUARANTINE_FINE ? 16 : (size_t)1 << (power_below(size) - 3);

    return (size + step - 1) & ~(step - 1);
}

static uint32_t class_of(size_t room)
{
    unsigned power;

    if (room <= QUARANTINE_FINE)
        return (uint32_t)(room / 16);
    power = power_below(room);
    return QUARANTINE_FINE / 16 + (power - 10) * 8 +
           (uint32_t)((room - ((size_t)1 << power)) >> (power - 3));
}

static void queue_push(struct quarantine_queue *queue, struct heap_block *blocks, uint32_t index)
{
    blocks[index].next = 0;
    if (queue->last)
        blocks[queue->last - 1].next = index + 1;
    else
        queue->first = index + 1;
    queue->last = index + 1;
    queue->count++;
}

/* The first one, which there must be. */
static uint32_t queue_pop(struct quarantine_queue *queue, const struct heap_block *blocks)
{
    uint32_t index = queue->first - 1;

    queue->first = blocks[index].next;
    if (!queue->first)
        queue->last = 0;
    queue->count--;
    return index;
}

void quarantine_push(struct quarantine *quarantine, struct heap_block *blocks, uint32_t index)
{
    const struct heap_block *block = &blocks[index];
    uint32_t class = class_of((size_t)block->room * HEAP_ROOM_UNIT);

    queue_push(&quarantine->queues[block->aligned][class], blocks, index);
}

void quarantine_push_other(struct quarantine *quarantine, struct heap_block *blocks, uint32_t index)
{
    uint32_t thread = blocks[index].free_thread;

    if (thread >= QUARANTINE_OTHERS)
        return;
    queue_push(&quarantine->others[thread], blocks, index);
    if (quarantine->others_end <= thread)
        quarantine->others_end = thread + 1;
    quarantine->others_count++;
}

/* What a thread freed later is not known before what it freed first. */
uint32_t quarantine_pop_other(struct quarantine *quarantine, const struct heap_block *blocks,
                              bool (*knows)(uint32_t thread, uint32_t when))
{
    for (uint32_t thread = 0; quarantine->others_count && thread < quarantine->others_end;
         thread++) {
        struct quarantine_queue *queue = &quarantine->others[thread];

        if (queue->count && knows(thread, blocks[queue->first - 1].after)) {
            quarantine->others_count--;
            return queue_pop(queue, blocks);
        }
    }
    return QUARANTINE_NONE;
}

uint32_t quarantine_pop(struct quarantine *quarantine, struct heap_block *blocks,
                        const struct quarantine_wish *wish)
{
    uint32_t class = class_of(quarantine_room(wish->size));
    struct quarantine_queue *queue = &quarantine->queues[wish->align > 16][class];

    for (unsigned turn = 0; turn < TURNS && queue->count && queue->count >= wish->least; turn++) {
        uint32_t index;

        if (blocks[queue->first - 1].after > wish->ready)
            break;
        index = queue_pop(queue, blocks);
        if ((uintptr_t)blocks[index].start % wish->align == 0)
            return index;
        quarantine_push(quarantine, blocks, index);
    }
    return QUARANTINE_NONE;
}
