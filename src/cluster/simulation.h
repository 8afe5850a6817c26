#ifndef RADDLE_CLUSTER_SIMULATION_H
#define RADDLE_CLUSTER_SIMULATION_H

#include "cluster/coordinator.h"
#include "cluster/worker.h"

/* Many workers in one process, in virtual time: the coordinator and the workers are the real ones; only what carries their messages, and the clock, are not. */

/* What makes targets, one a worker. */
struct simulation_program {
    /* A new one; `ended` of the options gets what *context is set to. NULL if memory is short. */
    struct target *(*open)(void *of, uint32_t worker, void **context);
    void (*close)(void *of, struct target *target, void *context);
    void *of;
};

struct simulation_options {
    struct explorer_options search;
    struct simulation_program program;
    uint32_t workers;
    uint32_t limit;      /* branches that a worker keeps before it gives any away */
    uint64_t seed;       /* of delays and losses */
    double latency;      /* seconds that a message takes */
    double jitter;       /* and up to that much more, by chance */
    double message_cost; /* seconds of the coordinator for each message; below 0: as it takes */
    double
        step_cost; /* seconds for each transition, new or done again; 0: each run costs the time that it takes here */
    uint64_t max_executions; /* of all together, then it ends; or NO_LIMIT */
    double loss; /* of a worker, with each run, by chance: its share; another one takes its place */
    double
        kept; /* with each message to the coordinator, by chance: it asks what is left of items, or is lost with all workers and goes on from what it would have kept */
    uint64_t max_losses;
};

struct simulation_result {
    struct explorer_stats stats; /* as counted by the coordinator */
    uint64_t executions;         /* as made, also those that do not count yet, or were lost */
    double seconds;              /* of virtual time, from the first item to the last */
    double busy;                 /* of all workers together */
    double coordinator_busy;
    uint64_t messages, bytes, items, losses;
    bool complete; /* nothing was left */
    char why[200]; /* if it failed */
};

/* False if memory is short. */
bool simulate(const struct simulation_options *options, struct simulation_result *result);

#endif
