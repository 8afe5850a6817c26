#ifndef RADDLE_MODEL_AWAIT_H
#define RADDLE_MODEL_AWAIT_H

#include "model/op.h"

#define AWAIT_MAX   16
#define AWAIT_STAMP 1

/* op.value of an OP_AWAIT that never runs: its thread has gone round a loop and nothing came of it, so the run without that is enough. */
enum await_round {
    AWAIT_ROUND_NONE,  /* none: it waits */
    AWAIT_ROUND_AGAIN, /* it would do so for ever, as long as nothing that it has read changes */
    AWAIT_ROUND_FRESH, /* next time it would use what it has just read */
};

/* What OP_AWAIT waits for: that one of these cells holds something else, or that one of these objects is in another state. Its
 * address is the op's; it belongs to the target and must not change while the operation is pending. */
struct await {
    uint32_t count;
    struct {
        uint64_t addr;
        uint64_t value;
        uint8_t size;   /* of a cell, up to 8; of a lock, AWAIT_STAMP: only its stamp counts */
        uint8_t object; /* enum object_kind */
    } reads[AWAIT_MAX];
};

#endif
