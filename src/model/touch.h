#ifndef RADDLE_MODEL_TOUCH_H
#define RADDLE_MODEL_TOUCH_H

#include "model/world.h"

/* A state in which an operation is judged: the present one, or one that a reordering of the execution
 * would lead to. */
struct view {
    /* The state of a location there. */
    uint64_t (*state)(const struct view *view, struct world *world, loc_id loc);
    /* Whether a buffered store is in memory there. */
    bool (*is_flushed)(const struct view *view, const struct buffered_store *store);
    /* As world_writers, there. */
    void (*writers)(const struct view *view, struct world *world, loc_id loc, loc_id slots[8]);
};

/* The present. */
extern const struct view view_now;

enum touch {
    TOUCH_DISABLED, /* cannot run there */
    TOUCH_DONE,     /* does what it says */
    TOUCH_FAILED,   /* runs, changes nothing: a try that did not get it, a compare that differed */
    TOUCH_INTERRUPTED, /* runs, changes nothing: would have to wait, but there is a signal */
    TOUCH_MISUSE,      /* runs into a broken rule */
};

/* What `op` of `agent` would do in `view`, and in *footprint what it would touch. Does not ask what the
 * agent's own thread decides (world_ready). Pure, except that locations may be seen for the first
 * time. For a misuse, *rule says which rule is broken. */
enum touch op_touch(struct world *world, const struct view *view, agent_id agent,
                    const struct op *op, struct footprint *footprint, const char **rule);

/* The outcomes that `op` of `agent`, which can run in `view`, could take there, in *outcomes (replaced). */
void op_outcomes(struct world *world, const struct view *view, agent_id agent, const struct op *op,
                 outcome_vec *outcomes);

/* How the pending COND_TIMEOUT `op` could end in `view`: bits 1 << enum wait_end. */
unsigned wait_ends(struct world *world, const struct view *view, agent_id agent,
                   const struct op *op);

/* The state of an object before `op` of `agent`, which touched it by ACCESS_ADD, if it is `state` after that and other
 * operations of that mode. */
uint64_t op_undo(struct world *world, agent_id agent, const struct op *op, loc_id loc,
                 uint64_t state);

/* One of those that together keep `op` from running in `view`, where all have to go before it can; AGENT_NONE if no
 * more than one ever does. */
/* Whether the operation is the end of a round that changed nothing; and whether its thread, or one whose compare-exchange waits, could go on all the same if it
 * went round once more in the present state. */
bool op_is_round(const struct op *op);
bool op_round_is_over(struct world *world, agent_id agent, const struct op *op);

agent_id op_holder(struct world *world, const struct view *view, const struct op *op);

/* Whether the footprint of this kind depends on the state it runs in. */
bool op_footprint_varies(const struct world *world, const struct op *op);

/* The value of `size` bytes at `addr` as `thread` sees them in `view`, its own buffered stores first. */
cell_value view_load(struct world *world, const struct view *view, agent_id thread, uint32_t stores,
                     uint64_t addr, unsigned size);

#endif
