#ifndef RADDLE_SCRIPT_NAME_TABLE_H
#define RADDLE_SCRIPT_NAME_TABLE_H

/* Names and what they stand for, found in constant time: a reader meets a name very often. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_entry {
    const char *text; /* not copied: must outlive the table; NULL in an empty slot */
    uint32_t length;
    uint32_t value;
    uint32_t line; /* where it was introduced */
};

struct name_table {
    struct name_entry *slots; /* zeroed is an empty table */
    uint32_t count;
    uint32_t capacity; /* 0 or a power of two, more than count */
};

/* The entry, or NULL. Valid until the next name_table_add. */
const struct name_entry *name_table_find(const struct name_table *table, const char *text,
                                         size_t length);

/* The name must not be in the table yet. */
void name_table_add(struct name_table *table, struct name_entry entry);

/* Frees the slots; the table is empty and can be used again. */
void name_table_free(struct name_table *table);

#endif
