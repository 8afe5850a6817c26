#include "model/channel_list.h"

#include <string.h>

void channel_lists_open(struct channel_lists *lists, struct arena *arena)
{
    memset(lists, 0, sizeof *lists);
    lists->arena = arena;
    map_open(&lists->by_hash, arena);
    vec_push(arena, &lists->lists, (struct channel_range){0, 0});
}

static uint64_t list_hash(const struct channel_item *items, uint32_t count)
{
    uint64_t hash = count;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t words[sizeof *items / 8];

        memcpy(words, &items[i], sizeof *items);
        for (unsigned w = 0; w < sizeof *items / 8; w++)
            hash = mix64(hash ^ words[w]);
    }
    return hash;
}

channel_list_id channel_list_of(struct channel_lists *lists, const struct channel_item *items,
                                uint32_t count)
{
    uint64_t hash = list_hash(items, count);
    channel_list_id list;

    if (count == 0)
        return CHANNEL_LIST_EMPTY;
    while ((list = map_get(&lists->by_hash, hash)) != MAP_ABSENT) {
        const struct channel_range *range = &lists->lists.at[list];

        if (range->count == count &&
            memcmp(&lists->items.at[range->first], items, count * sizeof *items) == 0)
            return list;
        hash = mix64(hash + 1);
    }
    list = lists->lists.count;
    vec_push(lists->arena, &lists->lists, (struct channel_range){lists->items.count, count});
    for (uint32_t i = 0; i < count; i++)
        vec_push(lists->arena, &lists->items, items[i]);
    map_add(&lists->by_hash, hash, list);
    return list;
}

const struct channel_item *channel_list_items(const struct channel_lists *lists,
                                              channel_list_id list, uint32_t *count)
{
    const struct channel_range *range = &lists->lists.at[list];

    *count = range->count;
    return lists->items.at + range->first;
}
