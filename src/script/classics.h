#ifndef RADDLE_SCRIPT_CLASSICS_H
#define RADDLE_SCRIPT_CLASSICS_H

/* The small programs that papers on partial order reduction count executions of, for tests and
 * benchmarks. All threads start at once: nothing is created or joined, so that the numbers of
 * executions are those of the threads alone. Cells are 8 bytes, loads and stores relaxed. */

#include "script/program.h"

/* One of them. Its size n is the number of alike threads; sb, mp and mpdep have one size only. */
struct classic {
    const char *name;
    unsigned n_max; /* n is 1 … n_max; 0: n is ignored */
    void (*build)(struct program *program, unsigned n);
};

/* Ends with a row whose name is NULL. */
extern const struct classic classics[];

/* Builds the program of that name and size; the caller frees it. False, and *out empty, if there is no
 * such name or size. */
bool classic_build(const char *name, unsigned n, struct program *out);

#endif
