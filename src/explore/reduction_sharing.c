#include "explore/reduction_sharing.h"

#include "explore/enabled.h"

/* Reduction by sharing (clock-vector-por, Table 1): where an agent touches something that some other agent
 * has touched too, anywhere in the search so far, all enabled agents are tried.
 *
 * The paper's scheme notes sharing for the rest of the search only, and leaves its completeness open. Here,
 * when something turns out to be shared, the states on the stack where it was touched before are made up for:
 * so at each state either all enabled agents are tried, or one whose operation nobody else can meet. */
struct sharing {
    struct nodes nodes;
    struct enabled_sets enabled;
    VEC(agent_id) owner; /* by loc_id: who touched it, OWNER_NOBODY or OWNER_MANY */
};

#define OWNER_NOBODY AGENT_NONE
#define OWNER_MANY   (AGENT_NONE - 1)

static struct reduction *sharing_open(struct arena *arena)
{
    struct sharing *s = arena_alloc(arena, sizeof *s);

    memset(s, 0, sizeof *s);
    nodes_open(&s->nodes, arena, false);
    return &s->nodes.base;
}

/* `agent` touches `loc`: makes up for earlier states if that is news. True if others touch it, too. */
static bool location_is_shared(struct sharing *s, loc_id loc, agent_id agent)
{
    struct execution *x = s->nodes.base.execution;

    while (s->owner.count <= loc)
        vec_push(s->nodes.base.arena, &s->owner, OWNER_NOBODY);
    if (s->owner.at[loc] == OWNER_NOBODY)
        s->owner.at[loc] = agent;
    if (s->owner.at[loc] == agent)
        return false;
    if (s->owner.at[loc] != OWNER_MANY) {
        s->owner.at[loc] = OWNER_MANY;
        for (uint32_t r = x->newest.at[loc]; r != RECORD_NONE; r = x->accesses.at[r].older)
            enabled_plan(&s->enabled, &s->nodes, x->accesses.at[r].event);
    }
    return true;
}

void sharing_write(const struct reduction *reduction, struct bytes *out)
{
    const struct sharing *s = (const struct sharing *)reduction;
    const struct world *world = reduction->execution->world;

    bytes_number(out, s->owner.count);
    for (loc_id loc = 0; loc < s->owner.count; loc++) {
        bytes_number(out, world->locations.at[loc].kind);
        bytes_number(out, world->locations.at[loc].addr);
        bytes_number(out, s->owner.at[loc]);
    }
}

void sharing_read(struct reduction *reduction, const sharing_owner_vec *owners)
{
    struct sharing *s = (struct sharing *)reduction;

    for (uint32_t i = 0; i < owners->count; i++) {
        loc_id loc =
            world_location(reduction->execution->world, owners->at[i].kind, owners->at[i].addr);

        while (s->owner.count <= loc)
            vec_push(reduction->arena, &s->owner, OWNER_NOBODY);
        s->owner.at[loc] = owners->at[i].agent;
    }
}

static void sharing_enter(struct reduction *reduction, uint32_t depth, agent_id preferred)
{
    struct sharing *s = (struct sharing *)reduction;
    struct execution *x = reduction->execution;

    nodes_enter(&s->nodes, depth);
    enabled_enter(&s->enabled, x);
    if (depth > 0) {
        const struct event *event = &x->events.at[depth - 1];

        for (uint32_t i = 0; i < event->access_count; i++)
            if (location_is_shared(s, x->accesses.at[event->accesses + i].access.loc, event->agent))
                enabled_plan(&s->enabled, &s->nodes, depth - 1);
    }
    if (preferred != AGENT_NONE && enabled_has(&s->enabled, depth, preferred))
        nodes_plan(&s->nodes, depth, (struct choice){preferred, OUTCOME_ANY, 0}, false);
    else if (s->enabled.agents.count > s->enabled.first.at[depth])
        nodes_plan(
            &s->nodes, depth,
            (struct choice){s->enabled.agents.at[s->enabled.first.at[depth]], OUTCOME_ANY, 0},
            false);
}

/* Races add what sharing does not see: other outcomes, and operations that never got to run. */
static void sharing_reverse(struct reduction *reduction, struct race *race)
{
    struct sharing *s = (struct sharing *)reduction;

    if (race->agent == reduction->execution->events.at[race->first].agent)
        nodes_plan(&s->nodes, race->first, race_choice(race), true);
    else
        enabled_plan(&s->enabled, &s->nodes, race->first);
}

static void sharing_leave(struct reduction *reduction, uint32_t depth)
{
    struct sharing *s = (struct sharing *)reduction;

    nodes_leave(reduction, depth);
    enabled_leave(&s->enabled, depth);
}

const struct reduction_ops reduction_sharing = {
    .name = "sharing",
    .summary = "where something is shared, all enabled agents",
    .open = sharing_open,
    .enter = sharing_enter,
    .more = nodes_more,
    .next = nodes_next,
    .reverse = sharing_reverse,
    .leave = sharing_leave,
};
