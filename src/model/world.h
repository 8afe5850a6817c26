#ifndef RADDLE_MODEL_WORLD_H
#define RADDLE_MODEL_WORLD_H

#include <string.h>

#include "base/fingerprint.h"
#include "base/map.h"
#include "base/vec.h"
#include "model/bug.h"
#include "model/channel_list.h"
#include "model/footprint.h"
#include "model/memory.h"
#include "model/op.h"
#include "model/target.h"
#include "model/waiters.h"
#include "model/watch.h"

/* Buffers may hold any number of stores. */
#define BUFFER_UNBOUNDED UINT32_MAX

enum thread_status {
    THREAD_ABSENT,  /* not started in this execution */
    THREAD_RUNNING, /* has a pending operation */
    THREAD_EXITED,
    THREAD_HALTED, /* stopped for good by a failed assertion, assumption or a misuse */
};

/* One agent: a thread, or one store buffer of a thread. Threads and buffers share one numbering. */
struct agent {
    agent_id thread; /* itself, or the thread whose stores the buffer holds */
    bool is_buffer;
    uint64_t addr; /* is_buffer: which one of its thread (memory_ops.buffer_of) */
    uint64_t key;  /* a thread: the target's name for it */
};

/* What a thread is doing in this execution. */
struct thread {
    uint8_t status;      /* enum thread_status */
    bool woken;          /* waiting at a condition or barrier: may go on */
    uint8_t wait_result; /* how its wait on a condition ended: enum wait_result */
    uint32_t spurious;   /* how often one did by itself */
    struct op pending;   /* THREAD_RUNNING: what it does next */
    event_id last;       /* its latest event */
    event_id cause;      /* an event of another thread that its next one needs: created, woken */
    uint32_t stores;     /* stores it has put into buffers so far */
    uint32_t waiting;    /* of these, how many are not flushed yet */
    uint32_t floor;      /* later stores are flushed after all those before this one */
    uint32_t drained;    /* stores it had issued when it last needed its buffers empty */
    uint64_t
        signals; /* set by a target before it waits interruptibly: the address of two words, a cell with the signals
                            that are pending for the thread, a bit each, and those that it blocks */
    event_id arrived; /* its latest arrival at a barrier, if arrivals commute; */
    uint32_t together_first, together_count; /* and those of its round: world.together */
    uint64_t barrier;                        /* where it waits while it runs a handler, or 0 */
    uint32_t needs;   /* more events such as `cause`: world.needs, or NEED_NONE */
    agent_id buffers; /* its newest buffer with entries in this execution, or AGENT_NONE */
};

#define NEED_NONE UINT32_MAX

/* An event that something needs, and the next one of the same list. */
struct need {
    event_id event;
    uint32_t next; /* or NEED_NONE */
};

/* One store in a buffer; it stays there, marked, after it was flushed. */
struct buffered_store {
    uint64_t addr;
    cell_value value;
    cell_value hidden; /* while it is shown (buffer.h): what is in memory */
    uint8_t size;      /* 0: of an object */
    uint8_t object;    /* OBJECT_SPIN: gives that lock back; OBJECT_NONE: an ordinary store */
    uint32_t number;   /* among the thread's buffered stores */
    uint32_t floor;    /* flushed only after all stores of the thread with a smaller number */
    uint64_t site;
    event_id issued;  /* its thread's latest event when it was issued, or EVENT_NONE */
    event_id flushed; /* EVENT_NONE while it waits */
};

/* One store buffer in this execution. */
struct buffer {
    uint32_t generation; /* of the execution its content belongs to */
    uint32_t head;       /* the oldest entry that waits */
    agent_id next;       /* the next buffer of the same thread, or AGENT_NONE */
    VEC(struct buffered_store) stores;
};

/* A location: what it names, and for objects their state (see object.c). */
struct location {
    uint64_t addr;
    uint8_t kind;        /* enum object_kind */
    uint32_t generation; /* of the execution that `state` belongs to */
    uint64_t state;
};

/* Whose the bytes of a cell are: of which buffered store each is, since that was flushed. */
struct word_writers {
    uint32_t generation;
    loc_id slots[8]; /* OBJECT_SLOT, or LOC_NONE: written otherwise */
};

/* A pending operation that another thread's step took away: a timeout, when the signal came first. */
struct withdrawn {
    agent_id thread;
    struct op op;
};

/* What an atomic section touched, and what was there before. */
struct section_access {
    struct access access;
    uint64_t before;
};

/* What one transition did besides changing the world. */
struct step {
    cell_value result; /* as the thread gets it */
    uint8_t bug;       /* enum bug_kind: what the transition found wrong */
    uint8_t touch;     /* enum touch of its operation; 0: of a buffer */
    bool assume_failed;
    const char *rule; /* BUG_MISUSE: the rule that was broken */
    VEC(struct withdrawn) withdrawn;
    VEC(struct section_access) section; /* of an atomic section: each location once */
};

/* One step of a replay. */
struct again {
    agent_id agent;
    outcome_id outcome;
    event_id event;
    uint8_t touch; /* enum touch: what it was told to be */
};

/* The steps that a replay is still to do. */
struct replay {
    /* Takes the next one, if its thread is about to do what it did then, goes on after it, and touches no other thread: into *step. */
    bool (*next)(struct replay *replay, struct again *step);
};

#define LOCATION_HINTS 256

/* All that the agents of one execution share. Knows nothing of the search. */
struct world {
    struct arena *arena;
    struct target *target;
    uint64_t base, extent; /* the target's: whoever cannot see that one can still give names */
    const struct watch_ops *watch; /* or NULL; set by a target */
    const struct memory_ops *memory;
    uint32_t buffer_bound;
    bool
        buffer_bound_met; /* some store, in some execution, had to wait or to go straight to memory */
    uint32_t generation; /* counts restarts; what carries an older number is not reset yet */
    event_id now;        /* the event being executed, or EVENT_NONE before the first */
    agent_id acting;     /* whose it is, or AGENT_NONE */
    struct step step;    /* of the last transition */
    bool
        merges_lives; /* set by a target: under SC, creating a thread, ending one and joining it are no transitions of their own (lives.h) */
    uint32_t
        spurious_bound; /* how often each thread may wake up from a condition without a signal */
    bool in_section;    /* a thread is inside an atomic section: its stores go straight to memory */
    struct replay *replay; /* that is under way, or NULL */
    bool follows;          /* who runs may ask world_follow */

    /* by agent_id; agents are the same in all executions, their states are not */
    VEC(struct agent) agents;
    VEC(struct thread) threads;
    VEC(struct buffer) buffers;
    struct map agent_by_key;

    agent_id
        ran; /* set by a target: who ran up to the first state; AGENT_NONE: nobody more than others */

    VEC(struct need) needs;
    VEC(event_id) together;             /* arrivals at barriers, by rounds that are complete */
    VEC(struct buffered_store *) shown; /* scratch of buffer_show and buffer_hide */
    VEC(agent_id) active; /* threads started and buffers used in this execution, in that order */
    VEC(struct location) locations;
    VEC(struct word_writers) writers; /* by loc_id, only if stores are buffered; may be shorter */
    struct location_hint {
        uint64_t key;
        loc_id loc;
    } hints[LOCATION_HINTS]; /* the map's answers, where they are found faster */
    struct map location_by_key;
    struct waiters_table waiters;
    struct channel_lists channel_lists;

    /* for searches that compare states, see sum.h; whoever goes back to a state puts back the sum of then */
    uint8_t commutes; /* enum commute, or-ed together */
    bool
        every_round; /* rounds that change nothing are made, too, whatever the target thinks of them */
    bool forgets;    /* loads whose result is not used are independent of everything */
    bool sums;       /* keep it up to date */
    struct fingerprint sum;
};

void world_open(struct world *world, struct arena *arena, struct target *target,
                const struct memory_ops *memory, uint32_t buffer_bound);

/* Back to the initial state, with every initial thread at its first visible operation. */
void world_restart(struct world *world);

/* The agent of the thread that the target calls `key`: always the same one. */
agent_id world_thread(struct world *world, uint64_t key);

/* For targets: starts a thread (see target_ops.restart). */
void world_start(struct world *world, agent_id thread);

/* For targets, in restart: an object's initial state; it is 0 if never set. */
void world_object_set(struct world *world, enum object_kind kind, uint64_t addr, uint64_t state);

/* Writes up to 16 bytes of memory. */
void world_memory_set(struct world *world, uint64_t addr, const void *bytes, unsigned size);

/* For targets: takes a store that the memory model makes invisible. False if it is a visible operation
 * and so must become the pending one. */
bool world_buffer_store(struct world *world, agent_id thread, const struct op *op);

/* What `agent` will do next; NULL if it is finished, halted, or an empty buffer. For a buffer (world_pending_flush), the op
 * is made in *space. */
const struct op *world_pending_flush(struct world *world, agent_id agent, struct op *space);

static inline const struct op *world_pending(struct world *world, agent_id agent, struct op *space)
{
    const struct thread *thread = &world->threads.at[agent];

    if (__builtin_expect(world->agents.at[agent].is_buffer, 0))
        return world_pending_flush(world, agent, space);
    return thread->status == THREAD_RUNNING ? &thread->pending : NULL;
}

/* Whether `agent` can take a transition now. */
bool world_enabled(struct world *world, agent_id agent);

/* Like world_enabled, but judges only what its thread itself decides (buffers drained, woken): true for
 * an operation that nothing but the state of a shared object holds back. */
bool world_ready(struct world *world, agent_id agent);

/* The outcomes that the pending operation of an enabled agent can take, in *outcomes (replaced).
 * There is always at least one. */
typedef VEC(outcome_id) outcome_vec;
void world_outcomes(struct world *world, agent_id agent, outcome_vec *outcomes);

/* Whether there may be more than one; else it is outcome 0. */
static inline bool world_forks(const struct world *world, agent_id agent)
{
    return !world->agents.at[agent].is_buffer &&
           op_infos[world->threads.at[agent].pending.kind].flags & OP_FORK;
}

/* Appends the events, other than those of `agent` itself and those its footprint conflicts with, that
 * had to come before its pending operation could run. */
typedef VEC(event_id) event_vec;
void world_causes(struct world *world, agent_id agent, event_vec *causes);

/* Takes one transition as event number `now`. The agent must be enabled and the outcome possible. What
 * it did is in world->step until the next one. */
void world_step(struct world *world, agent_id agent, outcome_id outcome, event_id now);

/* The same for one of which it is known what it is in this state: `touch`, so that op_touch is not asked again. TOUCH_DISABLED: not known, or of a buffer. */
void world_step_again(struct world *world, agent_id agent, outcome_id outcome, event_id now,
                      uint8_t touch);

/* The same for a transition in which the process died once: does all that is visible, and halts the thread before it
 * runs on. */
void world_step_fatal(struct world *world, agent_id agent, outcome_id outcome, event_id now);

/* For targets with `follows`, instead of coming back from resume, if world->follows: the thread that acts has come to `next`. If a replay is under way, and its next step is of the
 * simple kind, takes that step at once, and says whose it is: that thread goes on with step.result. AGENT_NONE: come back, as always. */
agent_id world_follow(struct world *world, const struct op *next);

static inline struct location_hint *location_hint(struct world *world, uint64_t key)
{
    return &world->hints[key * 0x9e3779b97f4a7c15u >> 56];
}

/* The same as world_location, where no hint helps; `key` is what it is called in the map. */
loc_id world_location_find(struct world *world, enum object_kind kind, uint64_t addr, uint64_t key);

/* The location of an object, or of the eight bytes around `addr`. */
static inline loc_id world_location(struct world *world, enum object_kind kind, uint64_t addr)
{
    uint64_t name = kind == OBJECT_CELL ? addr & ~(uint64_t)7 : addr;
    uint64_t key = name ^ (uint64_t)kind << 59;
    const struct location_hint *hint = location_hint(world, key);

    return __builtin_expect(hint->key == key, 1) ? hint->loc
                                                 : world_location_find(world, kind, name, key);
}

/* The present state of a location: eight bytes of memory, or an object's state. */
static inline uint64_t world_state(const struct world *world, loc_id loc)
{
    const struct location *location = &world->locations.at[loc];
    uint64_t state;

    if (location->kind == OBJECT_CELL) {
        memcpy(&state, (const void *)(uintptr_t)location->addr, sizeof state);
        return state;
    }
    return location->generation == world->generation ? location->state : 0;
}

/* What store `number` of `thread` into its buffers is called. */
static inline loc_id world_slot(struct world *world, agent_id thread, uint32_t number)
{
    return world_location(world, OBJECT_SLOT, (uint64_t)thread << 32 | number);
}

/* The buffered stores that the bytes of a cell were written by, as slots; LOC_NONE where it was not written so. */
void world_writers(const struct world *world, loc_id loc, loc_id slots[8]);

/* The bytes at `addr` were written, by that slot or LOC_NONE. */
void world_writer_set(struct world *world, uint64_t addr, unsigned size, loc_id slot);

static inline bool world_is_buffered(const struct world *world)
{
    return world->memory->buffered && world->buffer_bound != 0;
}

#endif
