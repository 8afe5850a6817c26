#ifndef RADDLE_TRACE_ABOUT_H
#define RADDLE_TRACE_ABOUT_H

#include "trace/pen.h"
#include "trace/trace.h"

/* Writes what stands above the lanes: the bug, the source around it, who waits for whom, the program, and who the
 * threads are: those whose `lane_of` is not LANES_NONE. */
void about_print(const struct trace *trace, struct pen *pen, uint32_t width,
                 const uint32_t *lane_of);

#endif
