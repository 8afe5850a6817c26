#include "explore/search.h"

/* The samples of `auto`: one run by each of the others in turn, as none of them finds all bugs that another one finds soon. The bugs that PCT promises to find
 * it promises for its own runs. */

static const struct search_ops *const parts[] = {&search_pos, &search_pct, &search_random};

#define PARTS (sizeof parts / sizeof *parts)

struct mixed {
    struct sampler base;
    struct sampler *of[PARTS];
    struct sampler *now; /* makes this run */
};

static struct sampler *mixed_open(struct arena *arena)
{
    struct mixed *mixed = arena_alloc(arena, sizeof *mixed);

    memset(mixed, 0, sizeof *mixed);
    for (size_t i = 0; i < PARTS; i++) {
        mixed->of[i] = parts[i]->open(arena);
        mixed->of[i]->ops = parts[i];
        mixed->of[i]->arena = arena;
    }
    return &mixed->base;
}

static void mixed_begin(struct sampler *sampler)
{
    struct mixed *mixed = (struct mixed *)sampler;
    struct sampler *now = mixed->of[sampler->run % PARTS];

    mixed->now = now;
    now->world = sampler->world;
    now->random = mix64(sampler->random); /* not the numbers that outcomes are drawn by */
    now->run = sampler->run;
    now->depth = sampler->depth;
    now->agents = sampler->agents;
    now->steps = sampler->steps;
    sampler->watches = now->ops->touches != NULL;
    now->ops->begin(now);
}

static agent_id mixed_pick(struct sampler *sampler, uint64_t step)
{
    struct sampler *now = ((struct mixed *)sampler)->now;

    return now->ops->pick(now, step);
}

static void mixed_touches(struct sampler *sampler, agent_id agent, const struct access *accesses,
                          uint32_t count)
{
    struct sampler *now = ((struct mixed *)sampler)->now;

    if (now->ops->touches)
        now->ops->touches(now, agent, accesses, count);
}

static bool mixed_keeps_word(const struct sampler *sampler, uint64_t steps)
{
    const struct sampler *now = ((const struct mixed *)sampler)->now;

    return now->ops->keeps_word && now->ops->keeps_word(now, steps);
}

const struct search_ops search_mixed = {
    .name = "auto",
    .summary = "samples: by all of them in turn",
    .open = mixed_open,
    .begin = mixed_begin,
    .pick = mixed_pick,
    .touches = mixed_touches,
    .keeps_word = mixed_keeps_word,
};
