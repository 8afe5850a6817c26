#ifndef RADDLE_MODEL_MEMORY_H
#define RADDLE_MODEL_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* A memory model: which store buffers stand between a thread and memory. All else (forwarding,
 * draining, the order of flushes) follows from that and is written once, in buffer.c. */
struct memory_ops {
    const char *name; /* what the user types after --model */
    bool buffered;    /* stores go through buffers at all */
    /* The name, within its thread, of the FIFO buffer that a store to `addr` enters. */
    uint64_t (*buffer_of)(uint64_t addr);
};

extern const struct memory_ops memory_sc, memory_tso, memory_pso;

/* All of them, ending with NULL. */
extern const struct memory_ops *const memory_models[];

/* The model of that name, or NULL. */
const struct memory_ops *memory_find(const char *name);

#endif
