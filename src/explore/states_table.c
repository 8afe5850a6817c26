#include "explore/states_inner.h"

/* ---- the table. As struct map (base/map.h), but a third of its size: the key is in the entry. */

#define SLOTS_FIRST 1024u

static void slots_open(struct states *states, uint32_t count)
{
    states->slots = arena_alloc(states->arena, (size_t)count * sizeof *states->slots);
    memset(states->slots, 0xff, (size_t)count * sizeof *states->slots);
    states->mask = count - 1;
}

/* The slot of the entry with that half of a print, or the empty one where it belongs. */
static uint32_t *state_slot(const struct states *states, uint64_t low)
{
    uint32_t i = (uint32_t)mix64(low) & states->mask;

    while (states->slots[i] != STATE_NONE && states->entries.at[states->slots[i]].print.low != low)
        i = (i + 1) & states->mask;
    return &states->slots[i];
}

static bool slots_are_full(const struct states *states)
{
    return states->entries.count >= (states->mask + 1) / 3 * 2;
}

uint64_t states_growth(const struct states *states)
{
    uint64_t bytes = 0;

    if (states->entries.count == states->entries.room)
        bytes += 2 * (uint64_t)states->entries.room * sizeof *states->entries.at;
    if (slots_are_full(states))
        bytes += 2 * ((uint64_t)states->mask + 1) * sizeof *states->slots;
    return bytes;
}

void states_add(struct states *states, const struct state_entry *entry)
{
    uint32_t *old = states->slots, count = states->mask + 1;

    if (slots_are_full(states)) {
        slots_open(states, 2 * count);
        for (uint32_t i = 0; i < states->entries.count; i++)
            *state_slot(states, states->entries.at[i].print.low) = i;
        arena_free(states->arena, old, (size_t)count * sizeof *old);
    }
    *state_slot(states, entry->print.low) = states->entries.count;
    vec_push(states->arena, &states->entries, *entry);
    states->stats.states++;
}

void states_table_open(struct states *states)
{
    slots_open(states, SLOTS_FIRST);
    map_open(&states->sleepers_by_hash, states->arena);
    vec_push(states->arena, &states->sleeper_sets, (struct opset_range){0, 0});
}

uint32_t states_find(const struct states *states, struct fingerprint print, bool *half)
{
    uint32_t found = *state_slot(states, print.low);

    *half = found != STATE_NONE && states->entries.at[found].print.high != print.high;
    return found;
}

/* ---- sets of sleepers */

static bool choice_before(struct choice a, struct choice b)
{
    return a.agent != b.agent ? a.agent < b.agent : a.outcome < b.outcome;
}

static void sleeping_sort(struct states *states)
{
    struct choice *at = states->sleeping.at;

    for (uint32_t i = 1; i < states->sleeping.count; i++) {
        struct choice moved = at[i];
        uint32_t j = i;

        for (; j > 0 && choice_before(moved, at[j - 1]); j--)
            at[j] = at[j - 1];
        at[j] = moved;
    }
}

/* The number of the set in `sleeping`. */
static sleepers_id sleepers_intern(struct states *states)
{
    uint64_t key = states->sleeping.count;
    sleepers_id id;

    if (states->sleeping.count == 0)
        return 0;
    sleeping_sort(states);
    for (uint32_t i = 0; i < states->sleeping.count; i++)
        key = mix64(
            key + ((uint64_t)states->sleeping.at[i].agent << 32 | states->sleeping.at[i].outcome));
    while ((id = map_get(&states->sleepers_by_hash, key)) != MAP_ABSENT) {
        struct opset_range range = states->sleeper_sets.at[id];

        if (range.count == states->sleeping.count &&
            memcmp(&states->sleepers.at[range.first], states->sleeping.at,
                   range.count * sizeof *states->sleeping.at) == 0)
            return id;
        key++;
    }
    id = states->sleeper_sets.count;
    vec_push(states->arena, &states->sleeper_sets,
             (struct opset_range){states->sleepers.count, states->sleeping.count});
    for (uint32_t i = 0; i < states->sleeping.count; i++)
        vec_push(states->arena, &states->sleepers, states->sleeping.at[i]);
    map_add(&states->sleepers_by_hash, key, id);
    return id;
}

sleepers_id states_sleepers(struct states *states, uint32_t depth)
{
    const struct branch *const *sleepers;
    uint32_t count;

    if (!states->nodes->sleeping)
        return 0;
    sleepers = sleep_at(&states->nodes->sleep, depth, &count);
    states->sleeping.count = 0;
    for (uint32_t i = 0; i < count; i++)
        vec_push(states->arena, &states->sleeping, sleepers[i]->choice);
    return sleepers_intern(states);
}

/* Into `sleeping`: those of a set that are awake at `depth`. How many. */
uint32_t states_awake(struct states *states, sleepers_id set, uint32_t depth)
{
    struct opset_range range = states->sleeper_sets.at[set];

    states->sleeping.count = 0;
    for (uint32_t i = 0; i < range.count; i++) {
        struct choice choice = states->sleepers.at[range.first + i];

        if (!sleep_has(&states->nodes->sleep, depth, choice))
            vec_push(states->arena, &states->sleeping, choice);
    }
    return states->sleeping.count;
}
