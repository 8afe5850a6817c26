#ifndef RADDLE_EXPLORE_SAMPLING_H
#define RADDLE_EXPLORE_SAMPLING_H

#include "base/map.h"
#include "explore/search.h"
#include "explore/trace_hash.h"

/* Runs that chance makes, one after the other, each from the start (search.h). They need neither races nor clocks nor sleep sets, and so
 * cost no more than their steps. Who looks at a run that failed and wants its clocks and accesses has it done again. */

struct explorer;

/* What a search that samples did. */
struct sample_stats {
    uint64_t runs;     /* of any kind */
    uint64_t given_up; /* of these, after the maximum number of steps */
    uint64_t noted;    /* of these, those that came to their end and whose trace was noted */
    uint64_t traces;   /* distinct ones among them */
    uint64_t once;     /* of these, how many were seen once, and how many twice */
    uint64_t twice;
    bool full;        /* no more traces are noted */
    uint64_t kept;    /* runs in which the search kept its promise for `agents` and `steps` */
    uint32_t agents;  /* that took part in a run, at most */
    uint64_t steps;   /* that a run takes, at most, as the search foresees */
    uint64_t longest; /* that a run did take to its end */
    bool drawn;       /* some operation had several outcomes */
};

struct sampling {
    struct sampler *sampler;
    struct trace_hash hash;
    bool noting;        /* the trace of this run */
    struct map traces;  /* index into `seen`, by trace */
    VEC(uint8_t) seen;  /* how often, 255 at most */
    uint64_t max_steps; /* options.max_steps, until a run was given up */
    uint64_t patience;  /* steps after which a run goes on by the random walk, which is fair */
    uint64_t
        useful; /* steps of a run that was given up, without those at its end that one thread took alone; at most so far */
    VEC(struct event) plan; /* a run that is done again */
};

/* As explorer_run and explorer_resume, if options.search samples. */
bool sampling_run(struct explorer *explorer);
bool sampling_resume(struct explorer *explorer);

/* The same one by one: opens; makes one run, false if it was the last one; counts the run in which the process died. */
void sampling_open(struct explorer *explorer);
bool sampling_next(struct explorer *explorer);
void sampling_bury(struct explorer *explorer);

/* The run that has just ended, with the clocks and accesses of its events: does it again if they were not kept. False if the target
 * does not do again what it did: explorer->diverged tells where. Does nothing in a search that does not sample. */
bool sampling_retrace(struct explorer *explorer);

/* Good and Turing: the chance that the next run shows a trace that was not seen yet, about. */
double sample_unseen(const struct sample_stats *stats);

/* Chao: how many traces there are that the search can reach, at least, about. */
double sample_traces_least(const struct sample_stats *stats);

/* PCT: the probability, at least, that a bug of that depth would have been found; 0: nothing can be said. */
double sample_promise(const struct sample_stats *stats, uint32_t depth);

#endif
