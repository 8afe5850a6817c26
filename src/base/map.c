#include "base/map.h"

#include "base/check.h"

#define FIRST_SLOTS 64

static struct map_slot *slots_new(struct arena *arena, uint32_t n)
{
    struct map_slot *slots = arena_alloc(arena, n * sizeof *slots);

    for (uint32_t i = 0; i < n; i++)
        slots[i].value = MAP_ABSENT;
    return slots;
}

void map_open(struct map *map, struct arena *arena)
{
    map->arena = arena;
    map->slots = slots_new(arena, FIRST_SLOTS);
    map->count = 0;
    map->mask = FIRST_SLOTS - 1;
}

/* The slot that holds `key`, or the empty one where it belongs. */
static struct map_slot *slot_of(const struct map *map, uint64_t key)
{
    uint32_t i = (uint32_t)mix64(key) & map->mask;

    while (map->slots[i].value != MAP_ABSENT && map->slots[i].key != key)
        i = (i + 1) & map->mask;
    return &map->slots[i];
}

uint32_t map_get(const struct map *map, uint64_t key)
{
    return slot_of(map, key)->value;
}

static void map_double(struct map *map)
{
    struct map_slot *old = map->slots;
    uint32_t old_count = map->mask + 1;

    CHECK(old_count < UINT32_MAX / 2, "a map of %u slots", old_count);
    map->slots = slots_new(map->arena, old_count * 2);
    map->mask = old_count * 2 - 1;
    for (uint32_t i = 0; i < old_count; i++)
        if (old[i].value != MAP_ABSENT)
            *slot_of(map, old[i].key) = old[i];
    arena_free(map->arena, old, old_count * sizeof *old);
}

void map_add(struct map *map, uint64_t key, uint32_t value)
{
    struct map_slot *slot;

    CHECK(value != MAP_ABSENT, "the value is reserved");
    if (map->count >= (map->mask + 1) / 2)
        map_double(map);
    slot = slot_of(map, key);
    CHECK(slot->value == MAP_ABSENT, "key %#llx added twice", (unsigned long long)key);
    slot->key = key;
    slot->value = value;
    map->count++;
}
