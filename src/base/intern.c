#include "base/intern.h"

#include <stdbool.h>
#include <string.h>

#include "base/check.h"

void intern_open(struct intern *intern, struct arena *arena)
{
    memset(intern, 0, sizeof *intern);
    intern->arena = arena;
    map_open(&intern->by_hash, arena);
}

static uint64_t words_hash(const uint64_t *words, uint32_t count)
{
    uint64_t hash = count;

    for (uint32_t i = 0; i < count; i++)
        hash = mix64(hash * 0x9e3779b97f4a7c15u + words[i]);
    return hash;
}

static bool entry_is(const struct intern *intern, uint32_t number, const uint64_t *words,
                     uint32_t count)
{
    const struct intern_entry *entry = &intern->entries.at[number - 1];

    return entry->count == count &&
           memcmp(&intern->words.at[entry->at], words, count * sizeof *words) == 0;
}

static uint32_t entry_add(struct intern *intern, const uint64_t *words, uint32_t count)
{
    CHECK(intern->words.count <= UINT32_MAX / 2 - count, "more than two billion words");
    vec_push(intern->arena, &intern->entries, (struct intern_entry){intern->words.count, count, 0});
    vec_reserve(intern->arena, &intern->words, count);
    memcpy(&intern->words.at[intern->words.count], words, count * sizeof *words);
    intern->words.count += count;
    return intern->entries.count;
}

uint32_t intern_number(struct intern *intern, const uint64_t *words, uint32_t count)
{
    uint64_t hash = words_hash(words, count);
    uint32_t first, number;

    if (count == 0)
        return 0;
    first = map_get(&intern->by_hash, hash);
    if (first == MAP_ABSENT) {
        number = entry_add(intern, words, count);
        map_add(&intern->by_hash, hash, number);
        return number;
    }
    for (number = first; number; number = intern->entries.at[number - 1].next)
        if (entry_is(intern, number, words, count))
            return number;
    number = entry_add(intern, words, count);
    intern->entries.at[number - 1].next = intern->entries.at[first - 1].next;
    intern->entries.at[first - 1].next = number;
    return number;
}

const uint64_t *intern_words(const struct intern *intern, uint32_t number, uint32_t *count)
{
    CHECK(number <= intern->entries.count, "no sequence has the number %u", number);
    *count = number ? intern->entries.at[number - 1].count : 0;
    return number ? &intern->words.at[intern->entries.at[number - 1].at] : NULL;
}

size_t intern_bytes(const struct intern *intern)
{
    return map_bytes(&intern->by_hash) + intern->entries.room * sizeof *intern->entries.at +
           intern->words.room * sizeof *intern->words.at;
}
