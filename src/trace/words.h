#ifndef RADDLE_TRACE_WORDS_H
#define RADDLE_TRACE_WORDS_H

/* A trace in short phrases, for every report. They go to a buffer of the caller's, cut to its
 * size, always with a 0 behind. They may hold any bytes that the trace holds: a report for a
 * terminal must filter them (utf8.h). */

#include "trace/trace.h"

/* Long enough for any phrase that somebody reads. */
#define WORDS_MAX 1024

/* The name of a thread, or NULL. The first one is "main" if nothing else is known. */
const char *words_thread_name(const struct trace *trace, uint32_t thread);

/* "T1 (worker)", or "T1" without a name. */
const char *words_thread(const struct trace *trace, uint32_t thread, char *buffer, size_t size);

/* "queue.c:41", the empty string if unknown; without directories if `is_short`. */
const char *words_place(const struct trace_site *site, bool is_short, char *buffer, size_t size);

/* What a step did: "load head -> 3", "flush #12: x = 1" (`store` is the number of the store, 0
 * unknown). The step's own text is kept; what was read or written is added unless the text has it
 * already. */
const char *words_step(const struct trace *trace, uint32_t step, uint32_t store, char *buffer,
                       size_t size);

/* For each step, the number (1-based) of the store that it flushes, or 0: no flush, or not known
 * which. */
uint32_t *words_link_flushes(const struct trace *trace, struct arena *arena);

/* How often another thread goes on than the one before; flushes do not count. */
uint32_t words_context_switches(const struct trace *trace);

#endif
