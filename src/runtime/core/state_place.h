#ifndef RADDLE_RUNTIME_CORE_STATE_PLACE_H
#define RADDLE_RUNTIME_CORE_STATE_PLACE_H

/* What the kernel keeps for the process, brought back within the process to how it was at some moment of a run: descriptors, and what signals do. A fork has
 * that by itself. What the gate's journal has is taken back by that. */

#include "runtime/core/state.h"
#include "runtime/core/state_fork.h"

#define STATE_HOLDS_MAX 128

/* Duplicates that keep files open: of each, for all moments in which it was. The numbers stay open. Not to be brought back. */
struct state_holds {
    struct {
        int number;
        uint32_t uses;
    } at[STATE_HOLDS_MAX];
    uint32_t count;
    uint8_t last
        [STATE_FILES_NUMBERS]; /* by number: the duplicate that it last had; maybe of another file */
    uint32_t process;          /* its number, or 0: not known yet */
};

struct state_place {
    struct state_files files;
    uint8_t holds[STATE_FILES_MAX]; /* of these: index into state_holds */
    uint32_t held;                  /* how many of them are */
    struct state_signals signals;
};

/* Keeps what state_fork_looks has just seen, and what signals do. False: that cannot be. */
bool state_place_keep(struct state_place *into, struct state_holds *holds);

/* It is not needed any more. */
void state_place_drop(struct state_place *then, struct state_holds *holds);

/* Brings it back, but for offsets and flags of files: state_fork_restores does that when memory is back. Not if state_signals_can_go_back says no. False
 * if it failed. */
bool state_place_back(const struct state_place *then, struct state_holds *holds);

/* When memory is back: the duplicates are the runtime's. */
void state_place_reserve(const struct state_holds *holds);

#endif
