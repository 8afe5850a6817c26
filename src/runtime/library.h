#ifndef RADDLE_RUNTIME_LIBRARY_H
#define RADDLE_RUNTIME_LIBRARY_H

/* Functions of the C library by the table library.def: what memory they access, and what state they keep. */

#include <stdbool.h>
#include <stdint.h>

struct library_row;

/* The row of a name, or NULL. */
const struct library_row *library_find(const char *name);

/* Whether a call does nothing but access memory: a loop with it may just wait. */
bool library_is_pure(const struct library_row *row);

#endif
