#ifndef RADDLE_RUNTIME_CORE_PLACE_MAPS_H
#define RADDLE_RUNTIME_CORE_PLACE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/* Memory that the process can write to, and that others do not see. */
struct place_mapping {
    uintptr_t low, high;
    bool of_file; /* what was never written is what the file holds */
};

/* Calls `visit` for each, until one says false. False then, or if the kernel does not tell. */
bool place_mappings(bool (*visit)(const struct place_mapping *mapping));

#endif
