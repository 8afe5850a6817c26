#ifndef RADDLE_TESTS_ENGINE_GENERATE_H
#define RADDLE_TESTS_ENGINE_GENERATE_H

/* Small random programs, each made from one number and always the same from the same number. */

#include <stdint.h>

#include "script/program.h"

/* What a program is about; each stresses one feature, the last all at once. */
enum flavour {
    FLAVOUR_MEMORY, /* load, store, rmw, cas, fence */
    FLAVOUR_LITMUS, /* store and load with forwarding, for the store buffers */
    FLAVOUR_LOCKS,  /* mutexes, spinlocks */
    FLAVOUR_RWLOCKS,
    FLAVOUR_CONDITIONS,
    FLAVOUR_COUNTERS, /* semaphores, barriers */
    FLAVOUR_CHOICES,  /* choose, assume, assert, branches */
    FLAVOUR_CREATION, /* threads that create and join threads */
    FLAVOUR_SIZES,    /* cells of all sizes, overlapping accesses, pointers */
    FLAVOUR_LOOPS,    /* bounded retry loops, arrays with an index from a register */
    FLAVOUR_CHANNELS,
    FLAVOUR_ADDITIONS, /* read-modify-writes whose results are not used */
    FLAVOUR_BARRIERS,  /* rounds of all threads, mostly */
    FLAVOUR_SECTIONS,  /* mutexes inside of each other that nobody tries, conditions */
    FLAVOUR_EVERYTHING,
    FLAVOUR_COUNT
};
extern const char *const flavour_names[FLAVOUR_COUNT];

struct knobs {
    int flavour;          /* enum flavour, or -1: the seed decides */
    bool as_c;            /* no rows that C has no call for */
    unsigned threads_max; /* 2 to 4 */
    unsigned events_max;  /* rough number of events of all threads together, exits included */
};

extern const struct knobs knobs_default;

/* Makes a program that passes program_check; the caller frees it. */
void generate(uint64_t seed, const struct knobs *knobs, struct program *program);

#endif
