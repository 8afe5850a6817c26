#ifndef RADDLE_EXPLORE_STATES_INNER_H
#define RADDLE_EXPLORE_STATES_INNER_H

/* What the files states*.c share; nobody else includes it. */

#include "explore/states.h"

/* ---- states_print.c: what a state is */

/* The fingerprint of the present one. False: it cannot be told. */
bool states_print(struct states *states, const struct state_frame *frame,
                  struct fingerprint *print);

/* Whether only the first thread has begun so far. */
bool states_lone(const struct world *world);

/* delta: what the local state of a thread is called; all zeros: nothing yet. */
struct fingerprint *states_local(struct states *states, agent_id thread);

/* delta: the thread has taken a transition; and threads may have begun. */
void states_local_next(struct states *states, agent_id thread);
void states_locals_begin(struct states *states);

/* ---- states_table.c: the entries, and sets of sleepers */

void states_table_open(struct states *states);

/* The entry with that print, or STATE_NONE. *half: only half of the print is the same. */
uint32_t states_find(const struct states *states, struct fingerprint print, bool *half);

void states_add(struct states *states, const struct state_entry *entry);

/* Memory that the next entry takes. */
uint64_t states_growth(const struct states *states);

/* What is asleep at `depth`. */
sleepers_id states_sleepers(struct states *states, uint32_t depth);

/* Into states->sleeping: those of a set that are awake at `depth`. How many. */
uint32_t states_awake(struct states *states, sleepers_id set, uint32_t depth);

/* ---- states_summary.c: what may follow a state */

void states_follow(struct states *states, uint32_t depth, opset_id set);

/* Holds what may follow the known state `entry`, where the run is now, against the events of the run. */
void states_summary_apply(struct states *states, const struct state_entry *entry, uint32_t depth);

/* All below the state at `depth` is explored, and runs have come back to it, or to others that lead to it: holds what may follow it against the events before it. */
void states_cycle_apply(struct states *states, uint32_t depth);

/* What an agent needs in the state at `depth`, which the run has come through: what is known of it for certain. Good until the next call. */
struct vclock states_clock_at(struct states *states, agent_id agent, uint32_t depth);

/* What may follow the state before event `end`, while it is held against the events before that. */
struct summary_held {
    struct states *states;
    opset_id set;
    event_id end;
};

/* ---- states_reverse.c: what has to be tried because of that */

/* The operation could have come before event `first`; `certain`: it could, and before that one alone. */
void states_reverse(struct states *states, const struct summary_held *held, event_id first,
                    const struct suspect *suspect, bool certain);

static inline struct world *states_world(const struct states *states)
{
    return states->execution->world;
}

#endif
