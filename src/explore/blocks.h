#ifndef RADDLE_EXPLORE_BLOCKS_H
#define RADDLE_EXPLORE_BLOCKS_H

#include "explore/enabled.h"

/* What `dpor` and `source` keep of each state on the stack to keep a preemption bound's promise. A block is what one thread does in a row.
 *
 * A reversal is planned where the race is, where the block of the first event began (Coons, Musuvathi, McKinley 2013), and wherever in that block a
 * switch is free: there it costs no preemption that the block did not cost already. That is not enough if operations wait: before an event of
 * the block that lets somebody go on, the thread that is switched to may come to wait for it, and the switch back is free there. So before such
 * events, too. And whoever had to wait could be left for nothing: so an operation that waits is also planned before
 * the event that let it go on (wait_note in races.c). */
struct blocks {
    struct enabled_sets enabled;
    VEC(agent_id) running; /* by depth: the thread that ran last */
    VEC(bool) free_switch; /* by depth: leaving that thread is no preemption */
    event_vec needed;      /* scratch of one reversal */
};

/* Notes who is enabled in the present state, at `depth`, and that `running` ran last. */
void blocks_enter(struct blocks *blocks, struct nodes *nodes, uint32_t depth, agent_id running);

void blocks_leave(struct blocks *blocks, uint32_t depth);

/* Plans the reversal of a race between two agents, under a bound. */
void blocks_reverse(struct blocks *blocks, struct nodes *nodes, const struct race *race);

/* Under a bound, whoever runs goes on as long as it can, and what meets nothing of it would never be tried beside a loop without an end. So all who could go on in the end are
 * planned where they first could while that thread ran, and where leaving it last cost nothing. */
void blocks_give_up(const struct blocks *blocks, struct nodes *nodes, uint32_t depth);

/* Wakes those in the deepest state, just entered, who were explored earlier in runs that may cost more preemptions than if they came now. */
void blocks_wake(const struct blocks *blocks, struct nodes *nodes, uint32_t depth);

#endif
