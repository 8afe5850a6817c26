#include "model/memory.h"

#include <stddef.h>
#include <string.h>

const struct memory_ops *const memory_models[] = {&memory_sc, &memory_tso, &memory_pso, NULL};

const struct memory_ops *memory_find(const char *name)
{
    for (const struct memory_ops *const *model = memory_models; *model; model++)
        if (strcmp((*model)->name, name) == 0)
            return *model;
    return NULL;
}
