#include "explore/states_inner.h"
#include "model/sum.h"

/* ---- local states by change */

/* A name that no other local state has. */
static struct fingerprint fresh_local(struct states *states)
{
    return fingerprint_at(UINT64_MAX, ++states->fresh);
}

struct fingerprint *states_local(struct states *states, agent_id thread)
{
    while (states->locals.count <= thread)
        vec_push(states->arena, &states->locals, (struct fingerprint){0, 0});
    return &states->locals.at[thread];
}

void states_step(struct states *states, agent_id agent)
{
    struct world *world = states_world(states);

    if (states->kind == STATES_DELTA && !world->agents.at[agent].is_buffer)
        world->target->ops->note(world->target, world, agent);
}

/* NextLocal (stateful-dpor, Figure 4). Instead of a table from names and changes to names, the name is made of both. */
void states_local_next(struct states *states, agent_id thread)
{
    struct world *world = states_world(states);
    struct fingerprint *local = states_local(states, thread), change = {0, 0};

    if (world->threads.at[thread].status != THREAD_RUNNING)
        return;
    if (!world->target->ops->change(world->target, world, thread, &change)) {
        *local = fresh_local(states);
        return;
    }
    if (fingerprint_equal(change, (struct fingerprint){0, 0}))
        return;
    fingerprint_bytes(local, &change, sizeof change);
}

/* ---- the fingerprint of a state */

static bool is_started(const struct world *world, agent_id agent)
{
    return !world->agents.at[agent].is_buffer && world->threads.at[agent].status != THREAD_ABSENT;
}

/* Whether all of the local state must be told each time. */
static bool is_told(const struct states *states, agent_id thread)
{
    struct world *world = states_world(states);
    const struct target_ops *ops = world->target->ops;

    return states->kind == STATES_EXACT ||
           (ops->is_open && ops->is_open(world->target, world, thread));
}

static bool local_add(struct states *states, agent_id thread, struct fingerprint *into)
{
    struct world *world = states_world(states);

    if (is_told(states, thread))
        return world->target->ops->local(world->target, world, thread, into);
    if (thread >= states->locals.count ||
        fingerprint_equal(states->locals.at[thread], (struct fingerprint){0, 0}))
        return false; /* it has just begun */
    fingerprint_bytes(into, &states->locals.at[thread], sizeof *states->locals.at);
    return true;
}

/* A thread that is new to the run has the local state that its target tells. */
void states_locals_begin(struct states *states)
{
    struct world *world = states_world(states);

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        struct fingerprint *local;

        if (!is_started(world, agent) || world->threads.at[agent].status != THREAD_RUNNING)
            continue;
        local = states_local(states, agent);
        if (!fingerprint_equal(*local, (struct fingerprint){0, 0}))
            continue;
        if (!world->target->ops->local(world->target, world, agent, local))
            *local = fresh_local(states);
        vec_push(states->arena, &states->begun, agent);
    }
}

/* Who knows of whose accesses: by the transitions on the stack. */
static bool knowledge_add(struct states *states, struct fingerprint *print)
{
    states->passages.count = 0;
    for (uint32_t d = 0; d < states->frames.count; d++)
        if (states->frames.at[d].passage != PASSAGE_NONE)
            vec_push(states->arena, &states->passages, states->frames.at[d].passage);
    fingerprint_word(print, 1); /* states without knowledge are others */
    return states->futures->knowledge(states->passages.at, states->passages.count, print);
}

/* False: it cannot be told. The first thread alone is not worth it: all that it does then is as in every run. */
bool states_print(struct states *states, const struct state_frame *frame, struct fingerprint *print)
{
    struct world *world = states_world(states);
    const struct target_ops *ops = world->target->ops;
    uint32_t started = 0;
    bool told = true;

    *print = frame->lone;
    fingerprint_bytes(print, &world->sum, sizeof world->sum);
    for (uint32_t i = 0; told && i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        struct fingerprint thread = {0, 0};

        if (!is_started(world, agent))
            continue;
        started++;
        sum_thread(world, agent, &thread);
        if (world->threads.at[agent].status == THREAD_RUNNING)
            told = local_add(states, agent, &thread);
        fingerprint_plus(print, thread); /* they may have begun in another order */
    }
    if (started < 2)
        return false;
    told = told && ops->shared(world->target, world, print) &&
           (!states->with_knowledge || knowledge_add(states, print));
    fingerprint_word(print, (uint64_t)(states->execution->findings.count > 0) << 1 |
                                (states->execution->failed_assumes.count > 0));
    states->stats.untold += !told;
    return told;
}

bool states_lone(const struct world *world)
{
    uint32_t started = 0;

    for (uint32_t i = 0; i < world->active.count; i++)
        started += is_started(world, world->active.at[i]);
    return started < 2;
}
