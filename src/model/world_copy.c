#include "model/world_copy.h"

#include <string.h>

#include "base/check.h"

/* `to`, any vector, becomes as `from`. */
#define vec_assign(arena, to, from)                                                                \
    do {                                                                                           \
        (to)->count = 0;                                                                           \
        vec_reserve((arena), (to), (from)->count);                                                 \
        if ((from)->count > 0)                                                                     \
            memcpy((to)->at, (from)->at, (from)->count * sizeof *(from)->at);                      \
        (to)->count = (from)->count;                                                               \
    } while (0)

static void buffers_take(struct world_copy *copy, struct arena *arena, const struct world *world)
{
    copy->buffers.count = copy->stores.count = 0;
    for (agent_id agent = 0; agent < world->buffers.count; agent++) {
        const struct buffer *buffer = &world->buffers.at[agent];
        struct copied_buffer copied = {agent, buffer->next, buffer->head, copy->stores.count,
                                       buffer->stores.count};

        if (!world->agents.at[agent].is_buffer || buffer->generation != world->generation)
            continue;
        vec_push(arena, &copy->buffers, copied);
        for (uint32_t i = 0; i < buffer->stores.count; i++)
            vec_push(arena, &copy->stores, buffer->stores.at[i]);
    }
}

void world_copy_take(struct world_copy *copy, struct arena *arena, const struct world *world)
{
    CHECK(!world->in_section, "a copy inside an atomic section");
    copy->now = world->now;
    copy->acting = world->acting;
    copy->sum = world->sum;
    vec_assign(arena, &copy->threads, &world->threads);
    vec_assign(arena, &copy->needs, &world->needs);
    vec_assign(arena, &copy->together, &world->together);
    vec_assign(arena, &copy->active, &world->active);
    copy->objects.count = copy->writers.count = 0;
    for (loc_id loc = 0; loc < world->locations.count; loc++)
        if (world->locations.at[loc].generation == world->generation)
            vec_push(arena, &copy->objects,
                     (struct copied_object){loc, world->locations.at[loc].state});
    for (loc_id loc = 0; loc < world->writers.count; loc++)
        if (world->writers.at[loc].generation == world->generation)
            vec_push(arena, &copy->writers, (struct copied_writers){loc, world->writers.at[loc]});
    buffers_take(copy, arena, world);
}

static void buffers_put(const struct world_copy *copy, struct world *world)
{
    for (uint32_t i = 0; i < copy->buffers.count; i++) {
        const struct copied_buffer *copied = &copy->buffers.at[i];
        struct buffer *buffer = &world->buffers.at[copied->agent];

        buffer->generation = world->generation;
        buffer->head = copied->head;
        buffer->next = copied->next;
        buffer->stores.count = 0;
        for (uint32_t k = 0; k < copied->count; k++)
            vec_push(world->arena, &buffer->stores, copy->stores.at[copied->first + k]);
    }
}

/* As a restart does it, by a new generation, to which then belongs what the copy has. */
void world_copy_put(const struct world_copy *copy, struct world *world)
{
    for (uint32_t i = 0; i < world->active.count; i++)
        world->threads.at[world->active.at[i]].status = THREAD_ABSENT;
    world->generation++;
    world->now = copy->now;
    world->acting = copy->acting;
    world->sum = copy->sum;
    if (copy->threads.count > 0)
        memcpy(world->threads.at, copy->threads.at, copy->threads.count * sizeof *copy->threads.at);
    vec_assign(world->arena, &world->needs, &copy->needs);
    vec_assign(world->arena, &world->together, &copy->together);
    vec_assign(world->arena, &world->active, &copy->active);
    for (uint32_t i = 0; i < copy->objects.count; i++) {
        world->locations.at[copy->objects.at[i].loc].state = copy->objects.at[i].state;
        world->locations.at[copy->objects.at[i].loc].generation = world->generation;
    }
    for (uint32_t i = 0; i < copy->writers.count; i++) {
        world->writers.at[copy->writers.at[i].loc] = copy->writers.at[i].writers;
        world->writers.at[copy->writers.at[i].loc].generation = world->generation;
    }
    buffers_put(copy, world);
}
