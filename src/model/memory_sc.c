#include "model/memory.h"

/* Sequential consistency: a store is in memory as soon as it is done. */
const struct memory_ops memory_sc = {.name = "sc", .buffered = false, .buffer_of = 0};
