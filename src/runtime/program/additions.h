#ifndef RADDLE_RUNTIME_PROGRAM_ADDITIONS_H
#define RADDLE_RUNTIME_PROGRAM_ADDITIONS_H

#include <stdbool.h>

#include "model/await.h"

/* Read-modify-writes whose results the program does not use commute with their like (model/commute.h), unless a thread waits in a loop for one of
 * the same bytes to change: see docs/reductions.md. */

/* Whether that may be so for an operation at `p`. Notes that there is one. */
bool additions_commute(const void *p);

/* A thread is about to wait for that: additions there do not commute. If some did, all begins anew. */
void additions_await(const struct await *await);

#endif
