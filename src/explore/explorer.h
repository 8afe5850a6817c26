#ifndef RADDLE_EXPLORE_EXPLORER_H
#define RADDLE_EXPLORE_EXPLORER_H

#include "explore/contended.h"
#include "explore/estimate.h"
#include "explore/reduction.h"
#include "explore/sampling.h"
#include "explore/search.h"
#include "explore/snapshots.h"
#include "explore/states.h"
#include "explore/turns.h"

#define NO_BOUND UINT32_MAX
#define NO_LIMIT UINT64_MAX

/* How deep bugs are that PCT looks for, unless told otherwise. */
#define SEARCH_DEPTH 3

/* What samples are drawn by, unless told otherwise. */
#define SEARCH_SEED 1

/* How a run came to its end. */
enum ending {
    ENDING_DONE,     /* all threads are through, or stopped by a bug or a failed assumption */
    ENDING_DEADLOCK, /* nobody can go on, and somebody wants to */
    ENDING_ASLEEP,   /* given up: whatever could come was explored already */
    ENDING_KNOWN,    /* given up: the state was explored already */
    ENDING_CUT,      /* given up: a bound was reached */
};

/* Why a search did not see everything. */
enum cut_reason {
    CUT_BUFFER_BOUND = 1,
    CUT_PREEMPTION_BOUND = 2,
    CUT_MAX_STEPS = 4,
    CUT_MAX_EXECUTIONS = 8,
    CUT_TIMEOUT = 16,
    CUT_STOPPED = 32, /* the observer said so */
    CUT_MAX_MEMORY = 64,
    CUT_SAMPLED = 128,     /* the search made some runs, and never meant to make all */
    CUT_INTERRUPTED = 256, /* somebody outside wanted it to end */
};

/* Those that say nothing about the search itself: it could go on. */
#define CUT_LIMITS (CUT_MAX_EXECUTIONS | CUT_TIMEOUT | CUT_MAX_MEMORY | CUT_INTERRUPTED)

struct explorer;

struct explorer_options {
    const struct reduction_ops *reduction;
    const struct memory_ops *memory;
    uint32_t buffer_bound;     /* stores a buffer holds at most, or BUFFER_UNBOUNDED */
    uint32_t preemption_bound; /* or NO_BOUND; only if the reduction takes it */
    bool
        bound_grows; /* when all runs within the bound were made, it is one more, as long as some run was forbidden */
    uint32_t spurious_bound; /* how often a thread may wake up from a condition without a signal */
    uint64_t max_steps; /* events in one run, or NO_LIMIT; fewer when a run was given up for it */
    uint64_t max_executions; /* or NO_LIMIT */
    uint64_t
        max_runs; /* of any kind, or 0: told as max_executions, too. With states few are executions */
    uint64_t max_memory; /* bytes of the search, or 0 */
    double timeout;      /* seconds, or 0 */
    /* What somebody outside wants the search to stop for, an enum cut_reason, or 0: looked at before each step. NULL: nobody. */
    const uint32_t *brake;
    struct snapshots *snapshots; /* of states to come back to; NULL: none. Not with states */
    uint8_t states;              /* enum states_kind: whether states are compared, and how */
    uint64_t states_after;       /* STATES_AUTO: runs after which that begins */
    uint64_t states_trial; /* STATES_AUTO: states after which it ends, if hardly any came again */
    uint8_t commutes;      /* enum commute: what is tried in one order only */
    bool
        forgets; /* with states, from the beginning: loads that nobody uses are tried in one order only */
    uint8_t
        symmetry; /* enum symmetry_kind: whether interchangeable threads are looked for; not under a bound */
    uint64_t symmetry_trial;          /* STATES_SUMMARIES: runs of the first trial (comparing.h) */
    const struct future_ops *futures; /* with states: who looks for data races; or NULL */
    bool
        all_races; /* dpor: plans at all dependent states at once, not only at the latest (distributed-dpor, Figure 8) */
    bool
        shares; /* optimal: sequences are planned as short as they can be (sequence_shorten): others may take them over, and what is behind them is theirs then */
    uint64_t seed; /* not 0: where nothing has to come first, chance decides; not under a bound */
    bool
        lenient; /* the target may do other things than planned where data races are let pass: then the plan is dropped */
    const struct search_ops *search; /* NULL: explore; the next three are for samples */
    uint64_t runs;                   /* to make, or NO_LIMIT */
    uint32_t depth;                  /* pct: of the bugs that are looked for; 0: SEARCH_DEPTH */
    uint64_t turn_steps; /* search_auto: steps of a turn in the first round; 0: TURN_STEPS */
    bool
        clocks; /* events of all runs have clocks and accesses, not only of those that are retraced */
    /* Called before each step that is new to the search. May be NULL. */
    void (*takes)(void *context, struct explorer *explorer, agent_id agent, outcome_id outcome);
    /* Called at the end of each run, with the world in its last state; false stops the search. May be NULL. */
    bool (*ended)(void *context, struct explorer *explorer, enum ending ending);
    /* Called between two runs, where the search can be handed on (work.h). If it is set, the search also can after a limit was reached. May be NULL. */
    void (*between)(void *context, struct explorer *explorer);
    /* Words for an operation and its place, at the end of a run that had it: for contended.h. NULL: nobody wants to know. */
    void (*names)(void *context, agent_id agent, const struct op *op, char *text, size_t size);
    void *context;
};

/* What a search did. */
struct explorer_stats {
    uint64_t executions;  /* complete runs: to the end of the program, a deadlock or a bug */
    uint64_t asleep;      /* runs given up as redundant */
    uint64_t assumes;     /* runs in which an assumption failed */
    uint64_t transitions; /* explored, each once */
    uint64_t replayed;    /* done again to get back to a state */
    struct states_stats states;
    struct symmetry_stats symmetry;
    double
        estimated; /* how many executions there will have been (estimate.h); of this part, if it is one of a larger search */
    double reach;  /* how far up from the ends of runs the search has come, from 0 to 1 */
    uint64_t max_depth; /* events of the longest run */
    uint64_t max_bytes; /* memory taken at most */
    double
        progress; /* how much of the search tree is done, as far as it is known: a guess from 0 to 1 */
    uint32_t cut;                /* enum cut_reason, or-ed together */
    struct sample_stats sampled; /* if the search samples */
    uint32_t bounds;        /* bounds that grow: from 0 on, how many were explored to the end */
    double bounds_progress; /* search_auto: `progress` within the present bound */
    uint64_t
        explored; /* of the executions, those of the search that `estimated` speaks of: all, but for search_auto */
};

/* How a run came to a state: a preemption bound needs to know, and whoever decides whose turn it is. */
struct explorer_state {
    agent_id running;     /* the thread that ran last, or AGENT_NONE */
    uint32_t row;         /* how many steps it has taken in a row */
    uint32_t preemptions; /* up to here */
};

/* STATES_SUMMARIES: whether it is worth it (comparing.h). */
struct comparing_trial {
    uint64_t length; /* in runs */
    uint64_t until;  /* the run with which it ends, or the pause */
    uint64_t found;  /* symmetry.stats.found when it began */
};

/* One search. Not to be moved once opened. */
struct explorer {
    struct explorer_options options;
    struct explorer_stats stats;
    struct arena *arena;
    struct world world;
    struct execution execution;
    struct reduction *reduction;
    VEC(struct explorer_state) path; /* by depth */
    struct states states;            /* if `comparing` */
    bool comparing;                  /* states are compared now (comparing.h) */
    struct comparing_trial trial;
    bool known;               /* the present state is: the run stops */
    struct symmetry symmetry; /* if options.symmetry */
    struct estimate estimate;
    struct contended contended; /* if options.names */
    double deadline;            /* when the time is up, on the monotonic clock */
    struct sampling *sampling;  /* if the search samples */
    struct turns *turns;        /* if it is search_auto */
    uint64_t elsewhere;         /* executions that others made that take turns with this one */
    uint64_t max_steps;  /* options.max_steps, until a run was given up: then less (explorer.c) */
    uint64_t first_done; /* steps of the first run that came to its end, or 0 */
    bool replaying;      /* on the way back to a state */
    bool braked;         /* the search stopped within a run */
    bool adopting;       /* the work of another search is being taken over */
    uint32_t
        root; /* the search is a part of one: states before that depth are not its own (nodes.h) */
    bool
        resumed; /* the present run has begun: in a process that died, or before the search was stopped */
    uint64_t runs;   /* of any kind, so far */
    uint64_t random; /* advances with each use, if options.seed is set */
    event_id
        diverged; /* EVENT_NONE, or the first event that the target did not repeat; behind the last one: `missing` has no step */
    agent_id missing;
};

void explorer_open(struct explorer *explorer, struct arena *arena, struct target *target,
                   const struct explorer_options *options);

/* Searches to the end, a limit, or until the observer stops it. False if the target is not deterministic:
 * explorer->diverged tells where. */
bool explorer_run(struct explorer *explorer);

/* Goes on in a new process, after the old one died while the target ran: in the last event, or on the way back to a
 * state. The explorer must be where it was in memory, and its target be the same kind of target. */
bool explorer_resume(struct explorer *explorer);

/* ---- for those who search piece by piece (work.h, and the workers of src/cluster) */

/* The first state. */
void explorer_begin(struct explorer *explorer);

/* One run, and back to the next state that has something left to try. False when there is none, a limit is reached, the observer stops the search, or the target
 * is not deterministic. */
bool explorer_advance(struct explorer *explorer);

/* Statistics that are kept up to date only now and then. */
void explorer_settle(struct explorer *explorer);

/* All runs within options.preemption_bound were made: if it grows, and forbade some, begins anew with one more. Else false. */
bool explorer_bound_grow(struct explorer *explorer);

/* A reduction for the executions of that explorer. */
struct reduction *reduction_open(struct explorer *explorer, const struct reduction_ops *ops,
                                 bool bounded);

/* Takes a step that another search took; `adopting` must be set. False if it cannot be taken now. */
bool explorer_follow(struct explorer *explorer, struct choice choice, bool fatal);

/* Reverses the races of the last event, if the reduction wants them when they are found. */
void explorer_reverse(struct explorer *explorer);

/* Forgets all states: another piece can be taken over. What the whole search knows stays. */
void explorer_reset(struct explorer *explorer);

/* Searches on from the present state, to the end. */
bool explorer_go_on(struct explorer *explorer);

/* explorer_resume without the search that follows. */
bool explorer_recover(struct explorer *explorer);

/* Whether it is time to stop, for a reason that is then in stats.cut. */
bool explorer_limit_reached(struct explorer *explorer);

/* Whether somebody outside wants it. */
static inline bool explorer_is_braked(const struct explorer *explorer)
{
    const uint32_t *brake = explorer->options.brake;

    return brake && __atomic_load_n(brake, __ATOMIC_RELAXED);
}

/* How a run comes to the state after a step of `agent`, if it came to the present one in that way. */
struct explorer_state explorer_state_after(struct explorer *explorer, struct explorer_state state,
                                           agent_id agent);

/* How the present state would end a run. */
enum ending explorer_ending(struct explorer *explorer);

/* Whether the last run is a bug of the program: a deadlock, or something in execution.findings. */
bool explorer_run_failed(const struct explorer *explorer, enum ending ending);

#endif
