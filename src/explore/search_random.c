#include "explore/search.h"

/* The random walk: at each step, whoever can go on has the same chance. Fair, so that it also serves in runs that are too long; but runs
 * with few switches, or with one thread far ahead of another, are rare. */

static struct sampler *random_open(struct arena *arena)
{
    return arena_alloc(arena, sizeof(struct sampler));
}

static void random_begin(struct sampler *sampler)
{
    (void)sampler;
}

/* Guesses until one can go on, which leaves all that can with equal chance; if many cannot, they are counted instead. */
agent_id sampler_anyone(struct sampler *sampler)
{
    struct world *world = sampler->world;
    agent_id chosen = AGENT_NONE;
    uint64_t enabled = 0;

    for (int i = 0; i < 4 && world->active.count > 0; i++) {
        agent_id agent = world->active.at[sampler_below(sampler, world->active.count)];

        if (world_enabled(world, agent))
            return agent;
    }
    for (uint32_t i = 0; i < world->active.count; i++)
        if (world_enabled(world, world->active.at[i]) && sampler_below(sampler, ++enabled) == 0)
            chosen = world->active.at[i];
    return chosen;
}

static agent_id random_pick(struct sampler *sampler, uint64_t step)
{
    (void)step;
    return sampler_anyone(sampler);
}

const struct search_ops search_random = {
    .name = "random",
    .summary = "samples: at each step, anyone with equal chance",
    .open = random_open,
    .begin = random_begin,
    .pick = random_pick,
};
