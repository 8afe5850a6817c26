#ifndef RADDLE_RUNTIME_REPORT_SOURCE_H
#define RADDLE_RUNTIME_REPORT_SOURCE_H

#include <stdbool.h>

#include "base/text.h"
#include "runtime/hooks.h"

/* Names of memory as the source has them, from what full debug information says (-g): "queue.head", "slots[2].seq", "pool->stats_lock",
 * a local variable of a function that is running. Two cells never have the same name. */

/* Adds the name of the `size` bytes at `addr`; 0: of the largest object that begins there, as pointers mean it. `site` may know what a pointer to it is called, or be NULL.
 * False, and nothing is added, if the source has no name for it. *type, unless `type` is NULL, is what lies there, or NULL. */
bool source_name(struct text *t, uint64_t addr, unsigned size, const struct raddle_site *site,
                 const struct raddle_type **type);

/* The same into `text`, and its length; 0: the source has no name for it. */
size_t source_text(uint64_t addr, unsigned bytes, const struct raddle_site *site, char *text,
                   size_t size);

/* Adds a value of that type: an enumerator, a truth value, what a pointer points to. False, and nothing is added, if the type has no
 * better word for it than its number. */
bool source_value(struct text *t, const struct raddle_type *type, uint64_t value);

/* The name of the variable that holds `addr`, or NULL. */
const char *source_variable(uint64_t addr);

/* Adds what `addr` points to, as the source would write it: "&nodes[2]", "pool", "worker". */
bool source_pointer(struct text *t, uint64_t addr);

/* Adds what the block is and where it was made: "struct pool from pool_new, pool.c:65". False if its type is not known. */
bool source_block(struct text *t, uint64_t addr);

/* Whether the program says nothing of variables and types: `-g` would tell more. */
bool source_is_poor(void);

#endif
