#ifndef RADDLE_CLI_BUG_PRINT_H
#define RADDLE_CLI_BUG_PRINT_H

#include <stdio.h>

#include "cli/native.h"

/* A bug in the words of `raddle check`, with a word before its kind, or "". `found` is the run that shows it, or NULL if what the program wrote shall not be told; `trace` the
 * file that has the run, or NULL. */
void bug_print(FILE *out, const char *before, const struct session_bug *bug,
               const struct native_case *found, const char *trace);

#endif
