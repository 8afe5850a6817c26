#ifndef RADDLE_TRACE_LANES_H
#define RADDLE_TRACE_LANES_H

#include "trace/trace.h"

/* For a thread: it has no lane. */
#define LANES_NONE UINT32_MAX

/* How a trace is shown. */
struct lanes_style {
    uint32_t width; /* columns of the terminal; anything below 40 counts as 40 */
    bool unicode;   /* else ASCII only */
    bool colour;    /* by escape sequences */
    bool brief;     /* only what matters to the failure (matter.h) */
};

/* Writes the whole report for people: the bug, the program, a lane for each thread with a row for
 * each step, and what the program wrote. Threads that do nothing that is shown have no lane;
 * more than fit are folded into one, told apart by number and indentation. No line is longer than
 * the width. Returns 0, or -1 with errno set; errors of the stream are the caller's to find. */
int lanes_print(const struct trace *trace, const struct lanes_style *style, FILE *out);

/* Writes the steps as a list, one a line: "12  T1 (worker) queue.c:41  load head -> 3"; of the
 * style it heeds all but the width. Returns as lanes_print. */
int lanes_print_list(const struct trace *trace, const struct lanes_style *style, FILE *out);

#endif
