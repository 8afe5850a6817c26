#ifndef RADDLE_TRACE_ABOUT_H
#define RADDLE_TRACE_ABOUT_H

#include "trace/pen.h"
#include "trace/trace.h"

/* What the lanes know of the run. */
struct about_run {
    uint32_t threads;        /* that take part in it */
    const char *shown;       /* which of its steps are shown, in words; NULL: all */
    const uint32_t *lane_of; /* of each thread; LANES_NONE: it has none, and is not told of */
};

/* Writes what stands above the lanes: the bug, the source around it, who waits for whom, the program, and who the
 * threads are. */
void about_print(const struct trace *trace, struct pen *pen, uint32_t width,
                 const struct about_run *run);

/* "a cycle: T1 waits for T2, which waits for T1": the first circle of threads that wait for each other. False: there is none. */
bool about_circle(const struct trace *trace, char *buffer, size_t size);

#endif
