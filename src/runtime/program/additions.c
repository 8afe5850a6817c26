#include "runtime/program/additions.h"

#include "runtime/program/native.h"

/* Keys of session.additions: the eight bytes around an address, and what is known of them. */
enum known { KNOWN_ADDED, KNOWN_AWAITED };

static uint64_t key_of(uint64_t addr, enum known known)
{
    return (addr & ~(uint64_t)7) | known;
}

static struct map *known_additions(void)
{
    struct map *map = &native.session->additions;

    if (!map->arena)
        map_open(map, &native.session->arena);
    return map;
}

/* True if that is new. */
static bool note(uint64_t addr, enum known known)
{
    struct map *map = known_additions();

    if (map_get(map, key_of(addr, known)) != MAP_ABSENT)
        return false;
    map_add(map, key_of(addr, known), 0);
    return true;
}

static bool is_known(uint64_t addr, enum known known)
{
    return map_get(known_additions(), key_of(addr, known)) != MAP_ABSENT;
}

bool additions_commute(const void *p)
{
    uint64_t addr = (uint64_t)(uintptr_t)p;

    if (!(native.world->commutes & COMMUTE_INCREMENTS) || is_known(addr, KNOWN_AWAITED))
        return false;
    note(addr, KNOWN_ADDED);
    return true;
}

void additions_await(const struct await *await)
{
    for (uint32_t i = 0; i < await->count; i++) {
        uint64_t addr = await->reads[i].addr;

        if (await->reads[i].object != OBJECT_CELL)
            continue;
        for (uint64_t at = addr & ~(uint64_t)7; at < addr + await->reads[i].size; at += 8)
            if (note(at, KNOWN_AWAITED) && is_known(at, KNOWN_ADDED))
                native.session->begin_anew = true;
    }
}
