#include "explore/search.h"
#include "model/touch.h"

/* Partial order sampling (Yuan, Yang, Gu 2018, Algorithm 2): each pending operation has a random priority, and the highest that can run does.
 * Those that race with it get new priorities, so that the order of two that race is not decided by what decided about
 * others. Operations that race with none keep theirs: how many of them there are does not matter to the order of those
 * that do. */
struct pos {
    struct sampler base;
    VEC(uint64_t) priority; /* by agent, of its pending operation; 0: to be drawn */
};

static struct sampler *pos_open(struct arena *arena)
{
    struct pos *pos = arena_alloc(arena, sizeof *pos);

    memset(pos, 0, sizeof *pos);
    return &pos->base;
}

static void pos_begin(struct sampler *sampler)
{
    ((struct pos *)sampler)->priority.count = 0;
}

static uint64_t pos_priority(struct pos *pos, agent_id agent)
{
    while (pos->priority.count <= agent)
        vec_push(pos->base.arena, &pos->priority, 0);
    if (pos->priority.at[agent] == 0)
        pos->priority.at[agent] = sampler_random(&pos->base) | 1;
    return pos->priority.at[agent];
}

static agent_id pos_pick(struct sampler *sampler, uint64_t step)
{
    struct pos *pos = (struct pos *)sampler;
    struct world *world = sampler->world;
    agent_id best = AGENT_NONE;
    uint64_t highest = 0;

    (void)step;
    for (uint32_t i = 0; i < world->active.count; i++) {
        uint64_t priority = pos_priority(pos, world->active.at[i]);

        if (priority > highest && world_enabled(world, world->active.at[i])) {
            best = world->active.at[i];
            highest = priority;
        }
    }
    return best;
}

/* Whether the pending operation of `agent`, which can run now, meets one that touches that. */
static bool pos_races(struct world *world, agent_id agent, const struct access *accesses,
                      uint32_t count)
{
    struct footprint footprint;
    struct op space;
    const struct op *op = world_pending(world, agent, &space);

    if (!op || !world_ready(world, agent))
        return false;
    /* what a section will touch is not known yet */
    return op->kind == OP_SECTION_BEGIN ||
           (op_touch(world, &view_now, agent, op, &footprint, NULL) != TOUCH_DISABLED &&
            accesses_conflict(footprint.at, footprint.count, accesses, count));
}

static void pos_touches(struct sampler *sampler, agent_id agent, const struct access *accesses,
                        uint32_t count)
{
    struct pos *pos = (struct pos *)sampler;
    struct world *world = sampler->world;

    if (agent < pos->priority.count)
        pos->priority.at[agent] = 0;
    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id other = world->active.at[i];

        if (other != agent && other < pos->priority.count && pos->priority.at[other] != 0 &&
            pos_races(world, other, accesses, count))
            pos->priority.at[other] = 0;
    }
}

const struct search_ops search_pos = {
    .name = "pos",
    .summary = "samples: random priorities, renewed where operations race",
    .open = pos_open,
    .begin = pos_begin,
    .pick = pos_pick,
    .touches = pos_touches,
};
