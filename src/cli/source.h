#ifndef RADDLE_CLI_SOURCE_H
#define RADDLE_CLI_SOURCE_H

#include "trace/trace.h"

/* Adds to a trace the lines of source around all places that it names, so that it can be read where the source is
 * not. Files that cannot be read are left out. A file that is newer than the program is named in the option
 * "newer-source", as its lines may not be those that ran. */
void source_fill(struct trace *trace);

#endif
