#ifndef RADDLE_MODEL_EFFECT_H
#define RADDLE_MODEL_EFFECT_H

#include "model/touch.h"
#include "model/world.h"

/* What becomes of a thread after its operation. */
enum sequel {
    SEQUEL_RESUME, /* goes on with the result */
    SEQUEL_WAIT,   /* its pending operation was replaced by the next half of this one */
    SEQUEL_EXIT,
    SEQUEL_HALT,
};

/* Carries out the pending operation of `thread`, which touches as `touch` says, with that outcome.
 * The result is in world->step. */
enum sequel op_effect(struct world *world, agent_id thread, enum touch touch, outcome_id outcome);

/* Whether an operation of that kind always leaves its thread going on, and no other thread different. */
bool op_goes_on(enum op_kind kind);

#endif
