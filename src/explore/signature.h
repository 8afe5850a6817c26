#ifndef RADDLE_EXPLORE_SIGNATURE_H
#define RADDLE_EXPLORE_SIGNATURE_H

#include "explore/execution.h"

/* A number for which write each read took its value from, and in which order writes to one place came:
 * what the axiomatic memory models call a candidate execution. Interleavings that agree in both have
 * the same number, however flushes and loads were interleaved. */
uint64_t execution_signature(struct execution *x);

#endif
