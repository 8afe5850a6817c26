#ifndef RADDLE_TESTS_ENGINE_JUDGE_H
#define RADDLE_TESTS_ENGINE_JUDGE_H

/* Compares one run of the engine with the oracle. */

#include <stdio.h>

#include "oracle.h"

/* The settings under which a program is judged. */
struct judge_case {
    const char *reduction; /* NULL: only the oracle is judged, by its own rules */
    enum oracle_model model;
    int buffer_bound;     /* or ORACLE_UNBOUNDED */
    int preemption_bound; /* or ORACLE_UNBOUNDED */
    bool permuted;        /* the threads in reverse order must give as many traces */
    uint64_t order;       /* seed of the engine's free choices, or 0 */
    int spurious;         /* how often each thread may wake up without a signal */
    unsigned apart;       /* enum commute: what counts as dependent all the same */
};

enum judgement { JUDGED_RIGHT, JUDGED_WRONG, JUDGED_TOO_BIG };

struct judge_stats {
    uint64_t interleavings; /* that the oracle walked through … */
    uint64_t steps;         /* … in as many steps */
    uint64_t runs;          /* of the engine, from start to end of the search */
    uint64_t executions;    /* that it made in them */
    uint64_t redundant;     /* of these: given up, or of a trace already seen */
};
extern struct judge_stats judge_stats;

/* The oracle's opinion, to be used for several cases that differ only in the reduction. False if
 * the program is too big. Free with oracle_result_free in either case. */
bool judge_explore(const struct program *program, const struct judge_case *c, uint64_t limit,
                   struct oracle_result *truth);

/* Judges the engine's run under `c`; `truth` is from judge_explore. Tells `file` what is wrong. */
enum judgement judge_engine(const struct program *program, const struct judge_case *c,
                            const struct oracle_result *truth, FILE *file);

/* Both together, for any case. */
enum judgement judge_case(const struct program *program, const struct judge_case *c, uint64_t limit,
                          FILE *file);

/* Checks that bounds of 1, 2, 3 and none give ever more final states. */
enum judgement judge_monotone(const struct program *program, enum oracle_model model,
                              uint64_t limit, FILE *file);

void judge_case_print(const struct judge_case *c, FILE *file);

#endif
