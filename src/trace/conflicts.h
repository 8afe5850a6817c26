#ifndef RADDLE_TRACE_CONFLICTS_H
#define RADDLE_TRACE_CONFLICTS_H

#include "trace/trace.h"

/* Two accesses of different threads to the same bytes, one after the other, at least one of which writes: what the
 * second one did or saw depends on the first one having come before. */
struct trace_conflict {
    uint32_t first, second; /* indices of steps */
};

typedef VEC(struct trace_conflict) conflict_vec;

/* All of them, by `second`: for a read the latest write, for a write also the latest read of each thread since. A
 * store that goes into a buffer counts when it is flushed. Takes time linear in steps times threads. */
void conflicts_find(const struct trace *trace, struct arena *arena, conflict_vec *conflicts);

#endif
