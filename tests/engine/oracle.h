#ifndef RADDLE_TESTS_ENGINE_ORACLE_H
#define RADDLE_TESTS_ENGINE_ORACLE_H

/* The oracle: a second, naive opinion on what scripted programs do. It walks every interleaving,
 * copies the whole state at every step and compares events pairwise. It shares with the engine
 * the program table and the enums of op.h, and no code: if the two disagree, one is wrong. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "script/program.h"

enum oracle_model { ORACLE_SC, ORACLE_TSO, ORACLE_PSO, ORACLE_MODEL_COUNT };
extern const char *const oracle_model_names[ORACLE_MODEL_COUNT];

#define ORACLE_UNBOUNDED (-1)

/* What to run, and under which rules. */
struct oracle_config {
    const struct program *program;
    enum oracle_model model;
    int buffer_bound;          /* stores in a buffer, or ORACLE_UNBOUNDED */
    int preemption_bound;      /* or ORACLE_UNBOUNDED; only oracle_explore looks at it */
    int spurious;              /* wake-ups of each thread without a signal */
    const uint64_t *addresses; /* of element 0 of each decl; NULL: the oracle's own */
    unsigned apart; /* enum commute: what is dependent although its order makes no difference */
};

/* One transition: who, and which of its results. */
struct oracle_choice {
    uint32_t thread; /* index into program.threads: the thread, or the owner of the buffer */
    bool is_buffer;
    uint32_t decl; /* decl, element, byte: the first byte of a PSO buffer's stores; else 0 */
    uint32_t element;
    uint32_t byte;
    uint32_t outcome; /* as outcome_id, a woken thread by its index; 0 for buffers */
};

struct oracle_hash {
    uint64_t lo;
    uint64_t hi;
};

/* A set of hashes; all zero is the empty set. */
struct oracle_set {
    struct oracle_hash *slots;
    uint32_t capacity; /* 0 or a power of two */
    uint32_t count;
};

bool oracle_set_add(struct oracle_set *set, struct oracle_hash hash); /* true if it was new */
bool oracle_set_has(const struct oracle_set *set, struct oracle_hash hash);
void oracle_set_free(struct oracle_set *set);

/* How a complete execution ended. */
struct oracle_end {
    bool deadlock; /* somebody is blocked and nobody halted */
    bool asserted; /* some thread halted in a failed assert … */
    bool misused;  /* … in a misuse … */
    bool assumed;  /* … in a failed assume */
};

struct oracle_result {
    const char *too_big; /* NULL, or why the numbers below are not all there is */
    uint64_t interleavings;
    uint64_t steps;
    struct oracle_set finals; /* final states: cells, registers, how each thread ended */
    struct oracle_set traces; /* Mazurkiewicz traces */
    uint64_t deadlocks;       /* traces that end so */
    uint64_t asserts;
    uint64_t misuses;
    uint64_t assumes;
};

/* A complete interleaving, as shown to a visitor. */
struct oracle_leaf {
    const struct oracle_choice *schedule;
    unsigned length;
    struct oracle_hash trace;
    struct oracle_hash final;
};

/* Runs all interleavings, up to `limit` complete ones. `visit`, if not NULL, sees each of them and
 * stops the search by returning false. Free `result` with oracle_result_free. */
void oracle_explore(const struct oracle_config *config, uint64_t limit,
                    bool (*visit)(void *ctx, const struct oracle_leaf *leaf), void *ctx,
                    struct oracle_result *result);
/* Finds all states by going from state to state, up to `limit` of them: for programs that go round for ever. Final states and ends only, no
 * traces; `deadlocks` and the others count final states. Without store buffers. */
void oracle_reach(const struct oracle_config *config, uint64_t limit, struct oracle_result *result);
void oracle_result_free(struct oracle_result *result);

enum oracle_verdict {
    ORACLE_COMPLETE,
    ORACLE_NOT_ENABLED, /* step `step` of the schedule was impossible */
    ORACLE_UNFINISHED,  /* after the last step something was still enabled */
    ORACLE_UNSUPPORTED, /* the program or the schedule exceeds the oracle's tables */
};

struct oracle_outcome {
    enum oracle_verdict verdict;
    unsigned step;
    struct oracle_hash trace;
    struct oracle_hash final;
    struct oracle_end end;
    unsigned preemptions;
};

/* Runs given schedules of one program. Keeps the states of the last one, so that schedules that
 * share long prefixes, as a depth-first search makes them, cost only what differs. */
struct oracle_replayer;
struct oracle_replayer *oracle_replayer_new(const struct oracle_config *config);
void oracle_replayer_free(struct oracle_replayer *replayer);
void oracle_replay(struct oracle_replayer *replayer, const struct oracle_choice *schedule,
                   unsigned length, struct oracle_outcome *outcome);

enum oracle_status {
    ORACLE_NOT_CREATED,
    ORACLE_BLOCKED, /* neither ended nor able to go on (or, before the end, running) */
    ORACLE_EXITED,
    ORACLE_ASSUME,
    ORACLE_ASSERT,
    ORACLE_MISUSE,
    ORACLE_STATUS_COUNT
};
extern const char *const oracle_status_names[ORACLE_STATUS_COUNT];

/* The state after the last step that was replayed. A cell is zero-extended. */
uint64_t oracle_cell(const struct oracle_replayer *replayer, uint32_t decl, uint32_t element);
int64_t oracle_reg(const struct oracle_replayer *replayer, uint32_t thread, reg_id reg);
enum oracle_status oracle_status(const struct oracle_replayer *replayer, uint32_t thread);

/* Whether events `i` < `j` of the last schedule are dependent. */
bool oracle_dependent(const struct oracle_replayer *replayer, unsigned i, unsigned j);

/* For people: the schedule one event a line, and the state it leads to. */
void oracle_print_schedule(const struct oracle_replayer *replayer, FILE *file);
void oracle_print_state(const struct oracle_replayer *replayer, FILE *file);

/* Judges the dependence relation itself: swaps each two adjacent independent events of a complete
 * schedule and replays. 0 if trace and final state are the same each time, else the 1-based step at
 * which the swapped pair began. */
unsigned oracle_swap_check(struct oracle_replayer *replayer, const struct oracle_choice *schedule,
                           unsigned length);

#endif
