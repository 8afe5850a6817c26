#ifndef RADDLE_MODEL_AWAIT_H
#define RADDLE_MODEL_AWAIT_H

#include "model/op.h"

#define AWAIT_MAX   16
#define AWAIT_STAMP 1

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
