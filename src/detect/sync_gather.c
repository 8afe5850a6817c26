#include "detect/detect.h"
#include "detect/sync.h"

/* What holders know, by their names: for what may follow a state (future.h). */

static void thread_gather(enum holder_kind kind, uint64_t number, struct clock *into)
{
    const struct sync_thread *t = number < detector.sync.threads.count
                                      ? &detector.sync.threads.at[number]
                                      : &(const struct sync_thread){0};
    const struct clock *const clocks[] = {[HOLDER_NOW] = &t->now,
                                          [HOLDER_FENCED] = &t->fenced,
                                          [HOLDER_PENDING] = &t->pending,
                                          [HOLDER_WOKEN] = &t->woken};

    clock_join(&detector.space, into, clocks[kind]);
}

static void object_gather(enum holder_kind kind, uint64_t name, struct clock *into)
{
    const struct sync *sync = &detector.sync;
    uint32_t number = map_get(&sync->object_numbers, future_object_key((uint32_t)name));

    if (number != MAP_ABSENT)
        clock_join(&detector.space, into,
                   kind == HOLDER_SHARED ? &sync->objects.at[number].shared
                                         : &sync->objects.at[number].released);
}

static void buffered_gather(uint32_t thread, uint32_t number, struct clock *into)
{
    const struct sync *sync = &detector.sync;

    if (thread < sync->threads.count && number < sync->threads.at[thread].buffered.count)
        clock_join(&detector.space, into, &sync->threads.at[thread].buffered.at[number]);
}

void sync_gather(holder h, struct clock *into)
{
    const struct sync *sync = &detector.sync;
    enum holder_kind kind = holder_kind(h);
    uint64_t number = holder_number(h);
    uint32_t cell;

    switch (kind) {
    case HOLDER_NOW:
    case HOLDER_FENCED:
    case HOLDER_PENDING:
    case HOLDER_WOKEN:
        thread_gather(kind, number, into);
        break;
    case HOLDER_RELEASED:
    case HOLDER_SHARED:
        object_gather(kind, number, into);
        break;
    case HOLDER_CELL:
        cell = map_get(&sync->cell_numbers, number);
        if (cell != MAP_ABSENT && sync->cells.at[cell]->generation == detector.generation)
            sync_stores_gather(sync->cells.at[cell], holder_bytes(h), into);
        break;
    case HOLDER_BUFFERED:
        buffered_gather((uint32_t)(number >> 32), (uint32_t)number, into);
        break;
    case HOLDER_UNDER_WAY:
        break; /* between operations it hands on nothing */
    }
}
