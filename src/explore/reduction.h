#ifndef RADDLE_EXPLORE_REDUCTION_H
#define RADDLE_EXPLORE_REDUCTION_H

#include "explore/execution.h"

/* Take any outcome that is not asleep. */
#define OUTCOME_ANY (UINT32_MAX - 1)

/* One transition to take. */
struct choice {
    agent_id agent;
    outcome_id outcome;
    uint32_t
        wakes; /* 1: the outcome is an agent_id: whom a signal wakes. No padding: choices are compared as bytes */
};

/* The operation of a race, as it would come earlier. */
static inline struct choice race_choice(const struct race *race)
{
    return (struct choice){race->agent, race->outcome, race->wakes};
}

/* A transition with what it touches: one that was explored, or one that a wakeup tree plans. Owned by the
 * reduction of the state it belongs to; several `accesses` come from the arena (branch_init). A copy is good as long as the original is. */
struct branch {
    struct choice choice;
    struct access *accesses;
    uint32_t access_count;
    bool inexact;           /* not executed yet, and may touch other things, too */
    bool foreign;           /* explored, but not by this search: it has not seen what follows */
    bool rests;             /* under a preemption bound: no thread has to be stopped after it */
    struct branch *sibling; /* the next one from the same state */
    struct branch *child;   /* wakeup trees: the first one after it */
    struct access
        own; /* what `accesses` points to, if that is but one: most branches need no more memory */
};

struct reduction_ops;

/* What every reduction has; each puts its own fields behind it. */
struct reduction {
    const struct reduction_ops *ops;
    struct execution *execution;
    struct arena *arena;
    bool bounded; /* a preemption bound is in force */
};

/* Decides which agents a state must still try. The explorer knows nothing else about a reduction. States
 * are named by their depth: the number of events that lead there. */
struct reduction_ops {
    const char *name;    /* what the user types after --reduction */
    const char *summary; /* for --help */
    /* Wants races when the execution is complete, not when they are found. (One whose operation would touch other things
     * in its new place is handed over when it is found, and again at the end of each execution: what follows counts.) */
    bool races_at_end;
    bool sleeps;      /* has sleep sets */
    bool takes_bound; /* keeps its promise under a preemption bound */
    const struct reduction_ops *
        with_states; /* what takes its place when states are compared (states.h), maybe itself; NULL: cannot be */
    struct reduction *(*open)(struct arena *arena);
    /* The execution has just reached this depth: what to try first from here. `preferred` is the thread
     * that ran last, or AGENT_NONE. */
    void (*enter)(struct reduction *reduction, uint32_t depth, agent_id preferred);
    /* Whether something is left to try there. The state need not be the present one. */
    bool (*more)(struct reduction *reduction, uint32_t depth);
    /* What to try next from the present state; false if nothing is worth it. What was tried before has been
     * explored, and is no longer part of the execution. */
    bool (*next)(struct reduction *reduction, uint32_t depth, struct choice *choice);
    /* Schedules the reversal of a race. May note in it that this need not be done again (`settled`). */
    void (*reverse)(struct reduction *reduction, struct race *race);
    /* The run was given up at the step limit: plans those who were kept from running in it. NULL: nobody is for long. */
    void (*give_up)(struct reduction *reduction, uint32_t depth);
    /* The state is given up for good; its memory goes back. */
    void (*leave)(struct reduction *reduction, uint32_t depth);
};

/* All of them, the default first, ending with NULL. */
extern const struct reduction_ops *const reductions[];

extern const struct reduction_ops reduction_exhaustive, reduction_sharing, reduction_dpor,
    reduction_source, reduction_optimal;

/* The one of that name, or NULL. */
const struct reduction_ops *reduction_find(const char *name);

#endif
