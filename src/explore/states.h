#ifndef RADDLE_EXPLORE_STATES_H
#define RADDLE_EXPLORE_STATES_H

#include "explore/enabled.h"
#include "explore/visible.h"
#include "model/future.h"

/* States that were explored before are not explored again (stateful-dpor). docs/reductions.md says why that is sound; in short:
 *
 * A run that comes to a known state stops there. What may follow that state (its summary, visible operations as they were done) is held
 * against every event of the run: where one of them could have come before an event, that is planned as for any other race, but knowing
 * nothing of what lies between (states_reverse.c).
 *
 * A state has a summary for good when all below it is explored. If something below it leads back to a state that is still being explored,
 * it has that one's summary, once that has one. A run that comes back so is on a cycle: it stops, and in all states on the cycle everything that
 * can run is tried.
 *
 * With sleep sets, a state was explored but for what was asleep there. If some of that is awake now, that much is explored now. */

enum states_kind {
    STATES_OFF,
    STATES_DELTA, /* the local state of a thread is a number, by what has changed in it (stateful-dpor, Figure 4) */
    STATES_EXACT, /* … is all that decides what the thread does from there on */
    STATES_AUTO,  /* exact, from when the search has become large, as long as states come again */
    STATES_SUMMARIES, /* none is compared, but what may follow those on the stack is kept: for symmetry.h */
};

/* Whether runs stop at states that are known. */
static inline bool states_kind_compares(uint8_t kind)
{
    return kind != STATES_OFF && kind != STATES_SUMMARIES;
}

#define STATE_NONE UINT32_MAX

/* A set of choices, sorted, as a number: 0 is the empty one. */
typedef uint32_t sleepers_id;

/* One state that was, or is being, explored. */
struct state_entry {
    struct fingerprint print;
    opset_id follows;     /* its summary, as far as it is known */
    future_id future;     /* plain accesses that may follow, likewise */
    sleepers_id sleepers; /* not explored from here: what was asleep */
    uint32_t
        depth; /* STATE_CLOSED, STATE_DEAD, the depth on the stack, or STATE_OPEN | the depth of a state there that it leads to */
};

/* What is kept of each state on the stack. */
struct state_frame {
    uint32_t entry;          /* or STATE_NONE: it is like no other */
    struct fingerprint sum;  /* world.sum in it */
    struct fingerprint lone; /* what the first thread got while it was the only one */
    opset_id follows;
    future_id future;
    passage_id passage; /* the transition that led to it */
    visible_id by;      /* and what that was as an operation */
    uint32_t open;      /* how many entries there were in states.open before it */
    uint32_t begun;     /* delta: and in states.begun */
    uint32_t low; /* the lowest depth that something below it leads back to; its own if none does */
    bool is_lone; /* only the first thread has begun */
    bool partly;  /* something below it was not explored */
    bool met;     /* a run has come back to it */
    agent_id
        moved; /* delta: whose transition led there, and what its local state was called before */
    struct fingerprint before;
};

struct states_stats {
    uint64_t states;    /* in the table */
    uint64_t revisited; /* runs that stopped at one of them */
    uint64_t cycles;    /* of these: at one that was being explored */
    uint64_t untold;    /* states that could not be told apart, and so match nothing */
    uint64_t bytes;     /* of the tables */
    bool full;          /* --max-memory: no more were added */
};

struct states {
    enum states_kind kind;
    struct arena *arena;
    struct execution *execution;
    struct nodes *nodes;
    const struct future_ops *futures; /* or NULL: nobody looks for data races */
    struct states_stats stats;
    uint64_t max_memory; /* of the whole search, or 0 */

    VEC(struct state_entry) entries;
    uint32_t *slots;                /* entries by the low half of their prints; STATE_NONE: none */
    uint32_t mask;                  /* number of slots - 1 */
    VEC(struct state_frame) frames; /* by depth */
    visible_id last;                /* the operation of the transition under way */
    VEC(uint32_t) open; /* entries that left the stack and lead to a state on it, in that order */
    struct visibles visibles;
    struct enabled_sets enabled;
    VEC(passage_id) passages; /* scratch */
    VEC(visible_id) members;  /* scratch */
    VEC(uint32_t) clock;      /* scratch */
    VEC(agent_id) company;    /* scratch of states_reverse.c */
    bool with_knowledge; /* who knows of whose accesses is part of each state: there are cycles */

    VEC(struct choice) sleepers; /* of all sets, one after the other */
    VEC(struct opset_range) sleeper_sets;
    struct map sleepers_by_hash;
    VEC(struct choice) sleeping; /* scratch */

    VEC(struct fingerprint) locals; /* delta: by agent, what its local state is called */
    VEC(agent_id) begun; /* delta: threads that have one, in the order in which they got it */
    uint64_t fresh;      /* names given so far to states that nothing is known of */

    /* delta: the visible operation dependency graph */
    VEC(opset_id) next; /* by visible_id: what has followed it at once */
};

void states_open(struct states *states, enum states_kind kind, struct execution *execution,
                 struct reduction *reduction, const struct future_ops *futures);

/* What is on the stack is not known any more: to begin with states_catch_up, later. */
void states_forget(struct states *states);

/* For a search that has gone on without comparing states so far: goes through the present execution once more, from the start. False as
 * execution_replay. */
bool states_catch_up(struct states *states, event_id *at);

/* Before a transition. */
void states_step(struct states *states, agent_id agent);

/* The execution has just come to a new state, and the reduction has planned what to try first. True if it is known and the run can stop: all that
 * has to be tried because of what follows it is planned, and nothing from here. */
bool states_enter(struct states *states, uint32_t depth);

/* After states_catch_up: nobody has explored anything from the present state, so it is compared as if the execution had just come there. As states_enter. */
bool states_arrive(struct states *states);

/* All states on the stack are given up, none of them explored. */
void states_abandon(struct states *states);

/* In the present state, thread `a` was tried, and `b` need not be, as all that follows it follows `a` with the two exchanged: adds that to what may follow the state. Unless neither has `past`
 * events that the other has not, too, it is also held against the events of the run, as at a known state. False if that is not possible: `b` has to be tried. */
bool states_exchange(struct states *states, agent_id a, agent_id b, bool past);

/* The deepest state is given up for good: explored, or (`partly`) cut short. */
void states_leave(struct states *states, uint32_t depth, bool partly);

/* Somebody else may go on from here, or nobody keeps states from now on: what follows the cycles on the stack will then not be held against what comes before them, so all is planned there. */
void states_hand_over(struct states *states);

/* The execution is back at that depth. */
void states_return(struct states *states, uint32_t depth);

/* In a new process, before it goes to where the last one died: what that did then is not known, so the states on the stack are like no others. */
void states_resume(struct states *states);

/* Memory that the tables take. */
uint64_t states_bytes(const struct states *states);

/* A suspect looks for its races in the present state: it belongs to what may follow that. */
void states_suspect(struct states *states, const struct suspect *suspect);

#endif
