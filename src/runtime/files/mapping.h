#ifndef RADDLE_RUNTIME_FILES_MAPPING_H
#define RADDLE_RUNTIME_FILES_MAPPING_H

/* Calls that take mapped memory away, or change what may be done with it. Whoever accesses the range and is not ordered with them may find it
 * either way: so they count as accesses, too, as `free` does. */

#include <stdbool.h>
#include <stddef.h>

/* The running thread has got that range, with that protection (PROT_READ…). */
void mapping_made(const void *at, size_t size, int protection);

/* The running thread is about to give the range back, to move it, or to empty it. `stays`: later accesses do not fault. */
void mapping_taken(const char *call, void *at, size_t size, bool stays);

/* It is about to set its protection. */
void mapping_protected(void *at, size_t size, int protection);

/* Whether that advice (of madvise) may change what is in memory. */
bool mapping_is_emptied(int advice);

#endif
