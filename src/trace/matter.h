#ifndef RADDLE_TRACE_MATTER_H
#define RADDLE_TRACE_MATTER_H

#include "trace/trace.h"

/* Which steps somebody who wants to know why the run fails has to see: the two accesses of a race and what could have ordered them,
 * what threads wrote and read of each other, locks and conditions that they share, and how it ends. */

struct matter {
    bool *shown;    /* by step */
    uint32_t count; /* of those */
    uint32_t start; /* steps of the first thread alone, before any other one runs */
};

/* In the arena. Linear in the length of the run. */
struct matter matter_find(const struct trace *trace, struct arena *arena);

#endif
