#include <string.h>

#include "cluster/twig.h"

void glossary_open(struct glossary *glossary, struct arena *arena)
{
    memset(glossary, 0, sizeof *glossary);
    glossary->arena = arena;
    map_open(&glossary->agent_by_name, arena);
    map_open(&glossary->location_by_name, arena);
}

/* Keys that are taken by another name are passed over. */
static agent_id agent_number(struct glossary *glossary, struct work_agent agent)
{
    uint64_t key = mix64(agent.key * 2 + agent.is_buffer) ^ mix64(agent.addr + 1);
    uint32_t number;

    for (; (number = map_get(&glossary->agent_by_name, key)) != MAP_ABSENT; key++) {
        const struct work_agent *known = &glossary->agents.at[number];

        if (known->key == agent.key && known->addr == agent.addr &&
            known->is_buffer == agent.is_buffer)
            return number;
    }
    number = glossary->agents.count;
    vec_push(glossary->arena, &glossary->agents, agent);
    map_add(&glossary->agent_by_name, key, number);
    return number;
}

static loc_id location_number(struct glossary *glossary, struct work_location location)
{
    uint64_t key = mix64(location.addr) ^ mix64(location.kind);
    uint32_t number;

    for (; (number = map_get(&glossary->location_by_name, key)) != MAP_ABSENT; key++)
        if (glossary->locations.at[number].addr == location.addr &&
            glossary->locations.at[number].kind == location.kind)
            return number;
    number = glossary->locations.count;
    vec_push(glossary->arena, &glossary->locations, location);
    map_add(&glossary->location_by_name, key, number);
    return number;
}

/* The name with the agent in it, if there is one, replaced. */
static struct work_location location_with(struct work_location location,
                                          agent_id (*agent)(void *context, agent_id agent),
                                          void *context)
{
    unsigned shift;

    if (location_has_agent(location.kind, location.addr, &shift))
        location.addr = location_with_agent(location.addr, shift,
                                            agent(context, location_agent(location.addr, shift)));
    return location;
}

static agent_id number_of(void *context, agent_id agent)
{
    const struct work_numbers *numbers = context;

    return numbers->agents.at[agent];
}

void glossary_numbers(struct glossary *glossary, const struct work *work,
                      struct work_numbers *numbers, struct arena *arena)
{
    memset(numbers, 0, sizeof *numbers);
    for (uint32_t i = 0; i < work->agents.count; i++)
        vec_push(arena, &numbers->agents, agent_number(glossary, work->agents.at[i]));
    for (uint32_t i = 0; i < work->locations.count; i++)
        vec_push(
            arena, &numbers->locations,
            location_number(glossary, location_with(work->locations.at[i], number_of, numbers)));
}

static agent_id name_of(void *context, agent_id agent)
{
    struct glossary_names *names = context;

    while (names->agents.count <= agent)
        vec_push(names->work->arena, &names->agents, 0);
    if (!names->agents.at[agent]) {
        vec_push(names->work->arena, &names->work->agents, names->glossary->agents.at[agent]);
        names->agents.at[agent] = names->work->agents.count;
    }
    return names->agents.at[agent] - 1;
}

static loc_id location_name(struct glossary_names *names, loc_id loc)
{
    while (names->locations.count <= loc)
        vec_push(names->work->arena, &names->locations, 0);
    if (!names->locations.at[loc]) {
        vec_push(names->work->arena, &names->work->locations,
                 location_with(names->glossary->locations.at[loc], name_of, names));
        names->locations.at[loc] = names->work->locations.count;
    }
    return names->locations.at[loc] - 1;
}

struct choice glossary_choice(struct glossary_names *names, struct choice choice)
{
    if (choice.wakes)
        choice.outcome = name_of(names, choice.outcome);
    choice.agent = name_of(names, choice.agent);
    return choice;
}

struct branch *glossary_branch(struct glossary_names *names, const struct branch *branch)
{
    struct branch *copy = branch_new(names->work->arena, glossary_choice(names, branch->choice),
                                     branch->accesses, branch->access_count);

    copy->inexact = branch->inexact;
    for (uint32_t i = 0; i < copy->access_count; i++)
        copy->accesses[i].loc = location_name(names, branch->accesses[i].loc);
    return copy;
}
