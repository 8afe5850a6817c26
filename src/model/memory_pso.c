#include "model/memory.h"

/* Partial store order: one buffer a thread and address, so that stores to different addresses may
 * overtake each other, too. */
static uint64_t buffer_by_address(uint64_t addr)
{
    return addr;
}

const struct memory_ops memory_pso = {
    .name = "pso", .buffered = true, .buffer_of = buffer_by_address};
