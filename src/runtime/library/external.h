#ifndef RADDLE_RUNTIME_LIBRARY_EXTERNAL_H
#define RADDLE_RUNTIME_LIBRARY_EXTERNAL_H

/* Functions that instrumented code calls and that are not compiled with it: which of them are seen otherwise, and the
 * report of those that are not. What a function is never changes, so it is found out at its first call in the process. */

#include <stdbool.h>

#include "runtime/hooks.h"

/* The running thread calls this function in a way that nobody sees into, though `function` has rows or ways that are seen. */
void external_unseen(const char *name, const void *function);

#endif
