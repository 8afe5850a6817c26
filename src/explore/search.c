#include "explore/search.h"

const struct search_ops search_explore = {
    .name = "explore",
    .summary = "all runs that the reduction does not leave out",
};

const struct search_ops search_auto = {
    .name = "auto",
    .summary = "explores all, samples, and explores within growing bounds, in turn",
};

const struct search_ops *const searches[] = {
    &search_explore, &search_auto, &search_random, &search_pct, &search_pos, NULL,
};

const struct search_ops *search_find(const char *name)
{
    for (const struct search_ops *const *ops = searches; *ops; ops++)
        if (strcmp((*ops)->name, name) == 0)
            return *ops;
    return NULL;
}
