#ifndef RADDLE_TESTS_ENGINE_OPTIONS_H
#define RADDLE_TESTS_ENGINE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "generate.h"

/* What the command line says. */
struct options {
    uint64_t seed;
    uint64_t programs;
    double seconds; /* 0: no limit; else programs go on until then */
    uint64_t limit; /* interleavings of a program that is not too big */
    const char *only;
    int model; /* or -1 */
    const char *file;
    bool cycles;      /* only the programs that go round */
    bool twins;       /* only the programs with interchangeable threads */
    bool bounds;      /* judge bounds for every program, not for some */
    bool preemptions; /* nothing but preemption bounds */
    bool self_check;  /* the same for the oracle itself */
    bool apart;       /* every order of what commutes */
    bool together;    /* one order only */
    bool forks;       /* a process for each program, so that crashes can be shrunk */
    bool keep_going;
    bool verbose;
    struct knobs knobs;
};

extern struct options options;

/* False: it is wrong. */
bool options_read(int argc, char **argv);

/* Says how it is written; the exit status. */
int options_usage(void);

/* The place of `name` among `names`, or -1. */
int options_find(const char *name, const char *const *names, int count);

#endif
