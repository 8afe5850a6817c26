#ifndef RADDLE_EXPLORE_SEARCH_H
#define RADDLE_EXPLORE_SEARCH_H

#include "explore/execution.h"

/* How runs are chosen. `explore` makes all that the reduction does not leave out (explorer.c), `auto` does that and more in turn (turns.c). All others sample: each
 * run begins at the start, and chance decides whose turn it is (sampling.c). */

struct search_ops;

/* What every search that samples has; each puts its own fields behind it. */
struct sampler {
    const struct search_ops *ops;
    struct arena *arena;
    struct world *world;
    uint64_t random; /* advances with each use; set anew for each run */
    uint64_t run;    /* its number, from 0 */
    bool watches;    /* ops->touches is to be called in this run */
    uint32_t depth;  /* of the bugs that are looked for: options.depth */
    uint32_t agents; /* that took part in a run, at most so far */
    uint64_t steps;  /* that a run takes to its end, at most, as far as it is known; 0: not yet */
};

/* Decides whose turn it is. All but the name and the summary are NULL for `explore` and `auto`. */
struct search_ops {
    const char *name;    /* what the user types after --search */
    const char *summary; /* for --help */
    struct sampler *(*open)(struct arena *arena);
    /* A run begins. */
    void (*begin)(struct sampler *sampler);
    /* Who takes step number `step` of the run, counted from 1; AGENT_NONE if nobody can. */
    agent_id (*pick)(struct sampler *sampler, uint64_t step);
    /* `agent` takes a step that touches that: the state is still the one before it, unless it is an atomic section, which has just
     * ended. May be NULL. */
    void (*touches)(struct sampler *sampler, agent_id agent, const struct access *accesses,
                    uint32_t count);
    /* Whether the run that has just ended was all as the search promises: no more steps than foreseen, nobody put last. NULL: it
     * promises nothing. */
    bool (*keeps_word)(const struct sampler *sampler, uint64_t steps);
};

/* All of them, the default first, ending with NULL. */
extern const struct search_ops *const searches[];

extern const struct search_ops search_explore, search_auto, search_random, search_pct, search_pos;

/* The samples of `auto`; not among `searches`. */
extern const struct search_ops search_mixed;

/* The one of that name, or NULL. */
const struct search_ops *search_find(const char *name);

static inline bool search_samples(const struct search_ops *ops)
{
    return ops && ops->pick;
}

/* The next random number of this run, and one from 0 to n - 1. */
static inline uint64_t sampler_random(struct sampler *sampler)
{
    return mix64(sampler->random += 0x9e3779b97f4a7c15u);
}

static inline uint64_t sampler_below(struct sampler *sampler, uint64_t n)
{
    return (uint64_t)((unsigned __int128)sampler_random(sampler) * n >> 64);
}

/* Someone who can go on, all with equal chance: search_random, and what every search does in a run that does not end. */
agent_id sampler_anyone(struct sampler *sampler);

#endif
