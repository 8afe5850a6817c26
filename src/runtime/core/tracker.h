#ifndef RADDLE_RUNTIME_CORE_TRACKER_H
#define RADDLE_RUNTIME_CORE_TRACKER_H

/* Which pages of memory were written. The kernel tells, from Linux 6.7 on: a page that is watched and protected becomes unprotected by the first write, also by one
 * of the kernel itself. That costs a fault, but no signal; whoever reads or writes notices nothing. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACKER_PAGE ((uintptr_t)4096)

/* False: this kernel cannot do it, or does not let us. */
bool tracker_open(void);

/* From now on pages from `low` on are watched; none is protected. Again is fine. False: they cannot be. */
bool tracker_watch(uintptr_t low, uintptr_t high);

typedef void tracker_visit(uintptr_t low, uintptr_t high);

/* Calls `visit` for pieces of [low, high) that are there, watched, and not protected, in order. False: the kernel would not tell. */
bool tracker_written(uintptr_t low, uintptr_t high, tracker_visit *visit);

/* The same for all that are there and watched. */
bool tracker_there(uintptr_t low, uintptr_t high, tracker_visit *visit);

/* Protects pages that are watched, and there. */
bool tracker_protect(uintptr_t low, uintptr_t high);

#endif
