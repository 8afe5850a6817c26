#include "model/waiters.h"

#include <string.h>

#include "base/check.h"

static uint64_t members_hash(const agent_id *members, uint32_t count)
{
    uint64_t hash = 0x9e3779b97f4a7c15u + count; /* 0 would mix to 0 */

    for (uint32_t i = 0; i < count; i++)
        hash = mix64(hash ^ members[i]);
    return hash;
}

/* Makes the last `count` members of the table a set, unless there is one like it already. */
static waiters_id waiters_intern(struct waiters_table *table, uint32_t count)
{
    uint32_t first = table->members.count - count;
    const agent_id *members = table->members.at + first;
    uint64_t hash = members_hash(members, count);
    waiters_id set = map_get(&table->by_hash, hash);

    if (set != MAP_ABSENT) {
        const struct waiters_range *range = &table->sets.at[set];

        CHECK(range->count == count &&
                  memcmp(table->members.at + range->first, members, count * sizeof *members) == 0,
              "two sets of waiters with one hash");
        table->members.count = first;
        return set;
    }
    vec_push(table->arena, &table->sets, (struct waiters_range){first, count});
    map_add(&table->by_hash, hash, table->sets.count - 1);
    return table->sets.count - 1;
}

void waiters_open(struct waiters_table *table, struct arena *arena)
{
    memset(table, 0, sizeof *table);
    table->arena = arena;
    map_open(&table->by_hash, arena);
    vec_reserve(arena, &table->members, 1); /* so that the empty set is somewhere */
    CHECK(waiters_intern(table, 0) == WAITERS_EMPTY, "the empty set comes first");
}

const agent_id *waiters_members(const struct waiters_table *table, waiters_id set, uint32_t *count)
{
    *count = table->sets.at[set].count;
    return table->members.at + table->sets.at[set].first;
}

bool waiters_has(const struct waiters_table *table, waiters_id set, agent_id thread)
{
    const struct waiters_range range = table->sets.at[set];

    for (uint32_t i = 0; i < range.count; i++)
        if (table->members.at[range.first + i] == thread)
            return true;
    return false;
}

waiters_id waiters_add(struct waiters_table *table, waiters_id set, agent_id thread)
{
    const struct waiters_range range = table->sets.at[set];
    uint32_t i = 0;

    for (; i < range.count && table->members.at[range.first + i] < thread; i++)
        vec_push(table->arena, &table->members, table->members.at[range.first + i]);
    vec_push(table->arena, &table->members, thread);
    for (; i < range.count; i++)
        vec_push(table->arena, &table->members, table->members.at[range.first + i]);
    return waiters_intern(table, range.count + 1);
}

waiters_id waiters_remove(struct waiters_table *table, waiters_id set, agent_id thread)
{
    const struct waiters_range range = table->sets.at[set];
    bool found = false;

    for (uint32_t i = 0; i < range.count; i++)
        if (found || table->members.at[range.first + i] != thread)
            vec_push(table->arena, &table->members, table->members.at[range.first + i]);
        else
            found = true;
    CHECK(found, "thread %u is not in the set", thread);
    return waiters_intern(table, range.count - 1);
}
