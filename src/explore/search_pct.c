#include "explore/search.h"

/* Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte 2010, Section 3): each agent has a random priority, and the
 * highest that can go on does. At d - 1 random steps the one that would go on gets a priority below all of these. A bug of
 * depth d, of a program with n agents and k steps, is then found in one run with a probability of at least 1/(n k^(d-1)).
 *
 * The paper is given k. Here it is what runs have taken so far, and some more, so that it does not grow with each run; the first
 * run, which has to do without, has no change points and does not count. A thread that only lets time pass (yields, times
 * out) goes behind all others, else it would go round for ever; such a run does not count either. */
struct pct {
    struct sampler base;
    VEC(int64_t) priority; /* by agent; below 0: put last */
    uint32_t drawn;        /* of world->active, how many have one in this run */
    agent_id running;      /* who ran last, or AGENT_NONE */
    VEC(uint64_t) changes; /* step numbers; that with index i gives priority i + 1 */
    int64_t last;          /* the priority of whom was put last most recently, or 0 */
};

/* Above the priorities that change points give. */
#define PRIORITY_DRAWN ((int64_t)1 << 62)

static struct sampler *pct_open(struct arena *arena)
{
    struct pct *pct = arena_alloc(arena, sizeof *pct);

    memset(pct, 0, sizeof *pct);
    return &pct->base;
}

static bool pct_is_change(const struct pct *pct, uint64_t step, uint32_t *which)
{
    for (*which = 0; *which < pct->changes.count; ++*which)
        if (pct->changes.at[*which] == step)
            return true;
    return false;
}

static void pct_begin(struct sampler *sampler)
{
    struct pct *pct = (struct pct *)sampler;
    uint32_t wanted = sampler->depth - 1, at;

    if (wanted > sampler->steps)
        wanted = (uint32_t)sampler->steps;
    pct->changes.count = pct->drawn = 0;
    pct->running = AGENT_NONE;
    pct->last = 0;
    while (pct->changes.count < wanted) {
        uint64_t step = 1 + sampler_below(sampler, sampler->steps);

        if (!pct_is_change(pct, step, &at))
            vec_push(sampler->arena, &pct->changes, step);
    }
}

/* Agents that are new in this run get theirs. */
static void pct_draw(struct pct *pct)
{
    const struct world *world = pct->base.world;

    while (pct->priority.count < world->agents.count)
        vec_push(pct->base.arena, &pct->priority, 0);
    for (; pct->drawn < world->active.count; pct->drawn++)
        pct->priority.at[world->active.at[pct->drawn]] =
            PRIORITY_DRAWN | (int64_t)(sampler_random(&pct->base) & (PRIORITY_DRAWN - 1));
}

/* The one that ran last first: it is most often the one, and then only those above it have to be looked at. */
static agent_id pct_highest(struct pct *pct)
{
    struct world *world = pct->base.world;
    agent_id best = AGENT_NONE;
    int64_t highest = INT64_MIN;

    pct_draw(pct);
    if (pct->running != AGENT_NONE && world_enabled(world, pct->running)) {
        best = pct->running;
        highest = pct->priority.at[best];
    }
    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];

        if (pct->priority.at[agent] > highest && world_enabled(world, agent)) {
            best = agent;
            highest = pct->priority.at[agent];
        }
    }
    return best;
}

/* A step that only lets time pass. */
static bool pct_passes_time(const struct world *world, agent_id agent)
{
    uint8_t kind = world->threads.at[agent].pending.kind;

    return !world->agents.at[agent].is_buffer && (kind == OP_YIELD || kind == OP_COND_TIMEOUT);
}

static agent_id pct_pick(struct sampler *sampler, uint64_t step)
{
    struct pct *pct = (struct pct *)sampler;
    agent_id agent = pct_highest(pct);
    uint32_t which;

    if (agent != AGENT_NONE && pct_is_change(pct, step, &which)) {
        pct->priority.at[agent] = (int64_t)which + 1;
        agent = pct_highest(pct);
    }
    if (agent != AGENT_NONE && pct_passes_time(sampler->world, agent))
        pct->priority.at[agent] = --pct->last;
    pct->running = agent;
    return agent;
}

static bool pct_keeps_word(const struct sampler *sampler, uint64_t steps)
{
    const struct pct *pct = (const struct pct *)sampler;

    return steps <= sampler->steps && pct->last == 0;
}

const struct search_ops search_pct = {
    .name = "pct",
    .summary = "samples: random priorities, changed --depth - 1 times",
    .open = pct_open,
    .begin = pct_begin,
    .pick = pct_pick,
    .keeps_word = pct_keeps_word,
};
