#include "explore/reduction.h"

const struct reduction_ops *const reductions[] = {
    &reduction_optimal, &reduction_source,     &reduction_dpor,
    &reduction_sharing, &reduction_exhaustive, NULL,
};

const struct reduction_ops *reduction_find(const char *name)
{
    for (const struct reduction_ops *const *ops = reductions; *ops; ops++)
        if (strcmp((*ops)->name, name) == 0)
            return *ops;
    return NULL;
}
