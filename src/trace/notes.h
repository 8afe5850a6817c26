#ifndef RADDLE_TRACE_NOTES_H
#define RADDLE_TRACE_NOTES_H

#include "trace/trace.h"

/* Sentences that explain a failure beside its steps: a store that publishes nothing, a write that is lost, a load that passed an
 * own store, a store that never reached memory, a signal that nobody was waiting for, a pointer that was something else in between (ABA). */

struct note {
    uint32_t step; /* index of the step that it is about */
    const char *text;
};

typedef VEC(struct note) note_vec;

/* Appends those of the trace, in the order of steps; the texts are in the arena. */
void notes_find(const struct trace *trace, struct arena *arena, note_vec *notes);

#endif
