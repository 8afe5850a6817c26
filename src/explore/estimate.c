#include "explore/estimate.h"

/* Runs from one whose states are looked at right after it to the next such one. */
#define EARLY_EVERY 16

void estimate_open(struct estimate *estimate, struct arena *arena)
{
    memset(estimate, 0, sizeof *estimate);
    estimate->arena = arena;
}

void estimate_adopt(struct estimate *estimate, uint32_t depth)
{
    estimate->levels.count = 0;
    estimate->adopted = depth + 1;
}

static bool is_looked_at(uint64_t runs)
{
    return runs % EARLY_EVERY == 1;
}

void estimate_leave(struct estimate *estimate, const struct nodes *nodes, uint32_t depth,
                    uint64_t runs)
{
    const struct estimate_level *level;
    uint32_t all;

    if (depth >= estimate->levels.count) { /* new in this run, which was the only one */
        estimate->early += is_looked_at(runs);
        estimate->early_final += is_looked_at(runs);
        return;
    }
    level = &estimate->levels.at[depth];
    estimate->levels.count = depth;
    all = nodes_branches(nodes, depth);
    if (level->entered == RUNS_UNKNOWN || all == 0)
        return;
    if (level->early) {
        estimate->early += level->early;
        estimate->early_final += all;
    }
    if (!level->first)
        return;
    estimate->known += level->known;
    estimate->known_final += all;
    estimate->later += (double)(runs - level->first);
    estimate->firsts += (double)(level->first - level->entered) * (all - 1);
}

/* It was new in the run that has just ended. */
static void level_begin(struct estimate *estimate, const struct nodes *nodes, uint64_t runs)
{
    uint32_t depth = estimate->levels.count;
    struct estimate_level level = {
        .entered = depth < estimate->adopted ? RUNS_UNKNOWN : runs - 1,
        .early = is_looked_at(runs) ? nodes_branches(nodes, depth) : 0,
    };

    level.began = level.entered;
    vec_push(estimate->arena, &estimate->levels, level);
}

void estimate_next(struct estimate *estimate, const struct nodes *nodes, uint32_t depth,
                   uint64_t runs)
{
    struct estimate_level *level;

    while (estimate->levels.count <= depth)
        level_begin(estimate, nodes, runs);
    if (estimate->adopted > depth + 1)
        estimate->adopted = depth + 1;
    level = &estimate->levels.at[depth];
    level->began = runs;
    if (!estimate->turned)
        estimate->turned = depth + 1;
    if (!level->first) {
        level->first = runs;
        level->known = nodes_branches(nodes, depth);
    }
}

/* ---- the guess */

static double larger(double x, double y)
{
    return x > y ? x : y;
}

static double ratio(double of, double to, double otherwise)
{
    return to > 0 ? of / to : otherwise;
}

/* Runs behind a state, if there are `current` behind its branch under way. */
static double level_runs(const struct estimate *estimate, const struct nodes *nodes, uint32_t depth,
                         double current)
{
    const struct estimate_level *level = &estimate->levels.at[depth];
    double done = nodes_done(nodes, depth), all = nodes_branches(nodes, depth);
    double smaller = ratio(estimate->later, estimate->firsts, 1);
    double before, first, later;

    if (all == 0)
        return current;
    if (level->entered == RUNS_UNKNOWN)
        return current * all;
    if (!level->first) { /* the first one is under way */
        if (level->early)
            all = larger(all, level->early * ratio(estimate->early_final, estimate->early, 1));
        return current * (1 + (all - 1) * smaller);
    }
    all = larger(all, level->known * ratio(estimate->known_final, estimate->known, 1));
    before = (double)(level->began - level->entered);
    first = (double)(level->first - level->entered);
    /* what those behind the first one come to, the one under way included, and what one would be expected to be */
    later = (before - first + current + first * smaller) / (done + 1);
    return before + current + larger(all - done - 1, 0) * later;
}

double estimate_runs(const struct estimate *estimate, const struct nodes *nodes, uint64_t runs)
{
    double guess = 1;

    for (uint32_t depth = estimate->levels.count; depth-- > nodes->root;)
        guess = level_runs(estimate, nodes, depth, guess);
    return larger(guess, (double)runs);
}

double estimate_reach(const struct estimate *estimate, const struct nodes *nodes)
{
    double from = nodes->root, to = estimate->turned;

    for (uint32_t depth = nodes->root;
         depth < estimate->levels.count && !estimate->levels.at[depth].first; depth++)
        from++;
    return to > from ? (to - from) / (to - nodes->root) : 1;
}
