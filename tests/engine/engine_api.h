#ifndef RADDLE_TESTS_ENGINE_ENGINE_API_H
#define RADDLE_TESTS_ENGINE_ENGINE_API_H

/* All that the oracle's harness sees of the engine. Whoever implements it translates the engine's
 * agents into struct oracle_choice and back, and nothing else. */

#include <stdbool.h>
#include <stdint.h>

#include "oracle.h"

#define ENGINE_SAMPLES 200

struct engine_config {
    /* As after --reduction; "dpor+exact": with --stateful=exact; "dpor+symmetry": with --symmetry; "dpor+new": with --symmetry=new. Or as after --search: then ENGINE_SAMPLES runs. */
    const char *reduction;
    const char *model;    /* sc, tso, pso */
    int buffer_bound;     /* or ORACLE_UNBOUNDED */
    int preemption_bound; /* or ORACLE_UNBOUNDED */
    uint64_t order;       /* seed of the choices that are free, or 0 */
    int spurious;         /* wake-ups of each thread without a signal */
    unsigned apart;       /* enum commute: what is tried in every order all the same */
};

/* One run of the program. `cell` and `reg` tell what the engine saw at its end; they are called
 * only before `each` returns, and never for blocked runs. The registers of a thread that was not
 * created have their initial values. */
struct engine_execution {
    const struct oracle_choice *schedule; /* from the start */
    unsigned length;
    bool blocked;       /* given up as redundant (sleep set); the fields below mean nothing then */
    bool assume_failed; /* some thread halted in a failed assume */
    bool deadlock;
    bool bug; /* some thread halted in a failed assert or a misuse */
    uint64_t (*cell)(const struct engine_execution *, uint32_t decl, uint32_t element);
    int64_t (*reg)(const struct engine_execution *, uint32_t thread, reg_id reg);
    const void *engine; /* for cell and reg */
};

struct engine_stats {
    uint64_t executions; /* executions + blocked is the number of calls of `each` */
    uint64_t blocked;
    uint64_t traces; /* distinct ones, if it sampled */
    uint64_t saved;  /* transitions that symmetry has saved */
};

/* The address that element 0 of a declared cell has when the engine runs this program. */
uint64_t engine_address(const struct program *program, uint32_t decl);

/* Runs the engine to the end, bugs notwithstanding. Calls `each` for every run, and stops when it
 * returns false. False if the engine reported an internal problem or gave up before the end. */
bool engine_run(const struct program *program, const struct engine_config *config,
                bool (*each)(void *ctx, const struct engine_execution *), void *ctx,
                struct engine_stats *stats);

#endif
