#include "explore/contended.h"

#include <string.h>

/* Places that are kept: a program of which more are contended is not explained by some of them. */
#define PLACES_MAX 1024

void contended_open(struct contended *contended, struct arena *arena)
{
    memset(contended, 0, sizeof *contended);
    contended->arena = arena;
    map_open(&contended->by_place, arena);
}

struct contended_place *contended_note(struct contended *contended, const struct op *op)
{
    uint64_t key = mix64(op->addr + mix64(op->site + op_infos[op->kind].object));
    uint32_t index = map_get(&contended->by_place, key);

    contended->reversals++;
    if (index != MAP_ABSENT) {
        contended->places.at[index].reversals++;
        return NULL;
    }
    if (contended->places.count == PLACES_MAX)
        return NULL;
    map_add(&contended->by_place, key, contended->places.count);
    vec_push(contended->arena, &contended->places, ((struct contended_place){.reversals = 1}));
    return &vec_last(&contended->places);
}

/* Moves those behind down by one; the last one falls out if there are `count`. */
static uint32_t top_insert(const struct contended_place **top, uint32_t found, uint32_t count,
                           const struct contended_place *place)
{
    uint32_t at = found;

    while (at > 0 && top[at - 1]->reversals < place->reversals)
        at--;
    if (at == count)
        return found;
    if (found < count)
        found++;
    for (uint32_t i = found - 1; i > at; i--)
        top[i] = top[i - 1];
    top[at] = place;
    return found;
}

uint32_t contended_top(const struct contended *contended, const struct contended_place **top,
                       uint32_t count)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < contended->places.count; i++)
        found = top_insert(top, found, count, &contended->places.at[i]);
    return found;
}
