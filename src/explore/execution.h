#ifndef RADDLE_EXPLORE_EXECUTION_H
#define RADDLE_EXPLORE_EXECUTION_H

/* Ground rules of the room `explore`: it searches, on any target, under any memory model, and knows
 * operations only by their footprints. Only reduction_*.c decide what is tried. */

#include "explore/vclock.h"
#include "model/world.h"

struct states; /* states.h */

/* One executed operation and its place in the happens-before order. */
struct event {
    struct op op;       /* what was done */
    agent_id agent;     /* who did it */
    outcome_id outcome; /* which of its outcomes it took */
    uint32_t step;      /* 1-based: its agent's step-th event */
    event_id prev;      /* its agent's previous event, or EVENT_NONE */
    event_id after; /* no event from this number on happens before it; the one before that does */
    uint32_t accesses; /* its accesses are execution.accesses.at[accesses …] */
    uint32_t access_count;
    uint32_t clock; /* what happens before it, itself included: execution.clocks.at[clock …] */
    uint32_t clock_width;
    bool fatal;        /* the process died in it: never to be executed again */
    uint8_t touch;     /* enum touch of its operation where it is: a replay need not ask again */
    cell_value result; /* what its thread got */
};

#define RECORD_NONE UINT32_MAX

/* One access of an event, linked with the earlier ones to the same location. */
struct access_record {
    struct access access;
    event_id event;
    uint32_t older; /* the previous record of the location, or RECORD_NONE */
    /* The previous one that an access like this may conflict with, likewise: a long row of reads, or of additions, is passed over at once. */
    uint32_t unlike;
    /* The previous one that touches bytes which this one does not: two variables may be in one location. */
    uint32_t beside;
    /* The previous one that another agent made, or that writes: whoever follows this one follows all between. */
    uint32_t other;
    uint64_t before; /* the location's state when the event ran */
};

/* What one agent would do, with one access. */
struct met {
    agent_id agent;
    struct access access;
};

#define RACE_MET_MAX 3

/* Two operations that could have come the other way round: `agent` could do its operation before event
 * `first`, in the state where all that does not need `first` has been done. With first's own agent:
 * another outcome of that very operation. */
struct race {
    event_id first;
    event_id
        found; /* the event that brought it to light, or the length of the execution if none did */
    agent_id agent;
    outcome_id outcome; /* one that it can take there */
    uint32_t pre;       /* the clock of what it needs: execution.race_clocks.at[pre …] */
    uint32_t pre_width;
    uint32_t accesses; /* what it would touch there: execution.race_accesses.at[accesses …] */
    uint32_t access_count;
    uint32_t
        others; /* events after `first` that it has to come before, too: execution.race_others.at[others …] */
    uint32_t other_count;
    bool wakes;   /* the outcome is the thread that a signal wakes */
    bool initial; /* nothing that has to come before it would have to come after `first`, too */
    bool changed; /* it would touch other things there than where it is */
    bool inexact; /* an atomic section: it may touch other things there */
    bool
        follows; /* its operation is event `found`: whatever conflicts with it later on comes after `first`, too */
    /* set by a reduction: need not be reversed again while the first `reach` events stay, and nothing that is new meets one of `met` (race_is_settled) */
    bool settled;
    uint8_t met_count;
    event_id reach;
    struct met met[RACE_MET_MAX];
};

/* Something wrong that an event found. */
struct finding {
    event_id event;
    uint8_t bug;      /* enum bug_kind */
    const char *rule; /* BUG_MISUSE */
};

/* What is left of an agent's row of events (notdep.h). */
struct rest {
    agent_id agent;
    uint32_t index; /* of the next one */
};

/* The sequence of events from the start to the present state, and the state itself. Cost of an event: its
 * struct, one clock, and one record an access; cutting back frees all of it at once. */
struct execution {
    struct arena *arena;
    struct world *world;
    VEC(struct event) events;
    VEC(struct access_record) accesses;
    VEC(uint32_t) clocks;
    VEC(uint32_t) newest; /* by loc_id: its newest access record */
    VEC(event_id) latest; /* by agent_id: its latest event */
    VEC(event_vec) rows;  /* by agent_id: its events */
    VEC(struct finding) findings;
    VEC(event_id) failed_assumes;
    VEC(struct race) races; /* of the events so far, in the order in which they were found */
    event_id fresh; /* events from this number on were not there when these were last reversed */
    VEC(uint32_t) race_clocks;
    VEC(struct access) race_accesses;
    event_vec race_others;
    struct states *states; /* who wants to know what looks for races; or NULL */
    uint64_t replayed;     /* transitions that were done again */
    uint64_t looked; /* events and accesses that were looked at to find races and to reverse them */
    struct replay replay; /* while they are: */
    event_id again;       /* which one comes next */
    bool
        crowded; /* some arrival at a barrier, taken to commute with others, did not follow the round before */
    bool all_races; /* also those that a reversal of newer ones would bring to light later on */
    bool bounded; /* a preemption bound is in force: also operations that would have had to wait */

    /* scratch space of one append */
    event_vec causes;
    outcome_vec outcomes;
    VEC(uint32_t) scratch_clocks;
    VEC(event_id) candidates;
    event_vec others;
    VEC(struct access) section;
    VEC(struct rest) rest;
};

/* This record or the newest older one that an access to those bytes, in that mode, may conflict with; or RECORD_NONE. */
static inline uint32_t record_find(struct execution *x, uint32_t r, uint8_t mode, uint8_t bytes)
{
    for (; r != RECORD_NONE; x->looked++) {
        const struct access_record *record = &x->accesses.at[r];

        if (!(record->access.bytes & bytes))
            r = record->beside;
        else if (mode == ACCESS_WRITE || record->access.mode != mode)
            break;
        else
            r = bytes & ~record->access.bytes ? record->older : record->unlike;
    }
    return r;
}

void execution_open(struct execution *x, struct arena *arena, struct world *world);

/* Lets `agent` take its next transition, and adds the races that this brings to x->races. */
void execution_append(struct execution *x, agent_id agent, outcome_id outcome);

/* What an agent has to come after in the present state, whatever it does: its past, and what its pending operation needs. Good until the next
 * call or event. */
struct vclock execution_clock_of(struct execution *x, agent_id agent);
/* The same for an event in which the process died once (see execution_bury): it is not done again. */
void execution_append_fatal(struct execution *x, agent_id agent, outcome_id outcome);

/* The same without clocks, accesses and races, for runs that are only looked at as a row of steps. */
void execution_append_bare(struct execution *x, agent_id agent, outcome_id outcome);

/* Adds the races of the operations that are held back for ever in the present, final state. */
void execution_end(struct execution *x);

/* Forgets all events from number `length` on; the world is left as it was: see execution_replay. */
void execution_cut(struct execution *x, uint32_t length);

/* The process died in the last event, which was not finished: it counts as done, and its thread as halted. */
void execution_bury(struct execution *x);

/* The same for operations that a replay takes for the same, in whatever process. */
uint64_t execution_op_sum(const struct world *world, const struct op *op);

/* Puts the world into the state after the last event, from the start. False if the target does not do
 * again what it did (*at is the first event that differs). */
bool execution_replay(struct execution *x, event_id *at);

/* The same from the state after the first `done` events, in which the world is. */
bool execution_replay_from(struct execution *x, uint32_t done, event_id *at);

/* The first one; calls `each` in every state on the way, the first and the last included, with its depth. */
bool execution_replay_each(struct execution *x, event_id *at,
                           void (*each)(void *context, uint32_t depth), void *context);

/* Forgets the races that came to light from event `from` on. */
void races_cut(struct execution *x, event_id from);

/* Forgets those whose operation would touch the same things in its new place. */
void races_keep_changed(struct execution *x);

static inline struct vclock event_clock(const struct execution *x, event_id id)
{
    const struct event *event = &x->events.at[id];

    return (struct vclock){x->clocks.at + event->clock, event->clock_width};
}

/* Whether the outcome is an agent_id: whom the signal wakes. */
static inline bool event_wakes(const struct event *event)
{
    return event->op.kind == OP_COND_SIGNAL && event->outcome != OUTCOME_LOST;
}

static inline bool clock_has(const struct execution *x, struct vclock clock, event_id id)
{
    const struct event *event = &x->events.at[id];

    return vclock_get(clock, event->agent) >= event->step;
}

/* Whether event `a` happens before event `b`, or is it. */
static inline bool happens_before(const struct execution *x, event_id a, event_id b)
{
    return clock_has(x, event_clock(x, b), a);
}

static inline const struct access *race_accesses(const struct execution *x, const struct race *race)
{
    return race->access_count ? &x->race_accesses.at[race->accesses] : NULL;
}

/* Whether event `id`, later than `first`, has to come after the operation of the race, too. */
static inline bool race_leaves_out(const struct execution *x, const struct race *race, event_id id)
{
    if (happens_before(x, race->first, id))
        return true;
    for (uint32_t i = 0; i < race->other_count; i++)
        if (happens_before(x, x->race_others.at[race->others + i], id))
            return true;
    return false;
}

static inline struct vclock race_pre(const struct execution *x, const struct race *race)
{
    return (struct vclock){x->race_clocks.at + race->pre, race->pre_width};
}

#endif
