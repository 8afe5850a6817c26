#include "detect/clock.h"

#include <string.h>

/* Room for `count` entries, and those up to there 0 or as they were. */
static void clock_extend(const struct clock_space *space, struct clock *clock, uint32_t count)
{
    uint32_t room = clock->room ? clock->room : 8;
    uint32_t *at;

    if (clock->generation != space->generation) {
        clock->generation = space->generation;
        clock->count = 0;
    }
    if (count <= clock->count)
        return;
    while (room < count)
        room *= 2;
    if (room > clock->room) {
        at = arena_alloc(space->arena, room * sizeof *at);
        if (clock->at)
            memcpy(at, clock->at, clock->count * sizeof *at);
        arena_free(space->arena, clock->at, clock->room * sizeof *at);
        clock->at = at;
        clock->room = room;
    }
    memset(clock->at + clock->count, 0, (count - clock->count) * sizeof *clock->at);
    clock->count = count;
}

void clock_clear(const struct clock_space *space, struct clock *clock)
{
    clock->generation = space->generation;
    clock->count = 0;
}

void clock_set(const struct clock_space *space, struct clock *clock, uint32_t thread,
               uint32_t value)
{
    clock_extend(space, clock, thread + 1);
    clock->at[thread] = value;
}

bool clock_knows(const struct clock_space *space, const struct clock *clock,
                 const struct clock *other)
{
    if (clock_is_empty(space, other))
        return true;
    for (uint32_t i = 0; i < other->count; i++)
        if (other->at[i] > clock_get(space, clock, i))
            return false;
    return true;
}

void clock_join(const struct clock_space *space, struct clock *to, const struct clock *from)
{
    if (clock_is_empty(space, from))
        return;
    clock_extend(space, to, from->count);
    for (uint32_t i = 0; i < from->count; i++)
        if (to->at[i] < from->at[i])
            to->at[i] = from->at[i];
}
