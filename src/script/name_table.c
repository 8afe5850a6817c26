#include "script/name_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a, then a multiplicative mix because only the low bits choose the slot. */
static uint32_t name_hash(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return (uint32_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* The slot that holds the name, or the empty one where it belongs. */
static struct name_entry *slot_of(const struct name_table *table, const char *text, size_t length)
{
    uint32_t i = name_hash(text, length) & (table->capacity - 1);

    while (table->slots[i].text &&
           (table->slots[i].length != length || memcmp(table->slots[i].text, text, length) != 0))
        i = (i + 1) & (table->capacity - 1);
    return &table->slots[i];
}

const struct name_entry *name_table_find(const struct name_table *table, const char *text,
                                         size_t length)
{
    if (table->capacity == 0)
        return NULL;

    const struct name_entry *slot = slot_of(table, text, length);
    return slot->text ? slot : NULL;
}

static void name_table_grow(struct name_table *table)
{
    struct name_table larger = {.count = table->count,
                                .capacity = table->capacity ? table->capacity * 2 : 16};

    larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
    if (!larger.slots) {
        fputs("raddle: out of memory while reading a scripted program\n", stderr);
        abort();
    }
    for (uint32_t i = 0; i < table->capacity; i++)
        if (table->slots[i].text)
            *slot_of(&larger, table->slots[i].text, table->slots[i].length) = table->slots[i];
    free(table->slots);
    *table = larger;
}

void name_table_add(struct name_table *table, struct name_entry entry)
{
    if (table->count + 1 > table->capacity / 4 * 3)
        name_table_grow(table);
    *slot_of(table, entry.text, entry.length) = entry;
    table->count++;
}

void name_table_free(struct name_table *table)
{
    free(table->slots);
    *table = (struct name_table){0};
}
