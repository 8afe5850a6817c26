#include "base/check.h"
#include "explore/nodes.h"
#include "explore/work.h"
#include "model/buffer.h"

/* Work and the state of an explorer: one made from the other. */

/* ---- names for numbers */

void names_open(struct work_names *names, struct work *work)
{
    memset(names, 0, sizeof *names);
    names->work = work;
}

static uint64_t address_name(const struct world *world, uint64_t addr)
{
    uint64_t offset = (addr & WORK_ADDRESS_MASK) - world->base;

    return offset < world->extent ? (addr & ~WORK_ADDRESS_MASK) + offset + WORK_RELATIVE : addr;
}

static uint64_t address_of(const struct world *world, uint64_t name)
{
    return name & WORK_RELATIVE ? name - WORK_RELATIVE + world->base : name;
}

agent_id names_agent(struct work_names *names, const struct world *world, agent_id agent)
{
    const struct agent *of = &world->agents.at[agent];
    struct work *work = names->work;

    while (names->agents.count <= agent)
        vec_push(work->arena, &names->agents, 0);
    if (!names->agents.at[agent]) {
        vec_push(work->arena, &work->agents,
                 (struct work_agent){.key = world->agents.at[of->thread].key,
                                     .addr = of->is_buffer ? address_name(world, of->addr) : 0,
                                     .is_buffer = of->is_buffer});
        names->agents.at[agent] = work->agents.count;
    }
    return names->agents.at[agent] - 1;
}

loc_id names_location(struct work_names *names, const struct world *world, loc_id loc)
{
    const struct location *of = &world->locations.at[loc];
    struct work *work = names->work;
    uint64_t addr = address_name(world, of->addr);
    unsigned shift;

    while (names->locations.count <= loc)
        vec_push(work->arena, &names->locations, 0);
    if (!names->locations.at[loc]) {
        if (location_has_agent(of->kind, of->addr, &shift))
            addr = location_with_agent(of->addr, shift,
                                       names_agent(names, world, location_agent(of->addr, shift)));
        vec_push(work->arena, &work->locations,
                 (struct work_location){.addr = addr, .kind = of->kind});
        names->locations.at[loc] = work->locations.count;
    }
    return names->locations.at[loc] - 1;
}

struct choice names_choice_of(struct work_names *names, const struct world *world,
                              struct choice choice)
{
    if (choice.wakes)
        choice.outcome = names_agent(names, world, choice.outcome);
    choice.agent = names_agent(names, world, choice.agent);
    return choice;
}

struct access *names_accesses(struct work_names *names, const struct execution *x, event_id id,
                              uint32_t *count)
{
    const struct event *event = &x->events.at[id];
    struct access *accesses = NULL;

    *count = event->access_count;
    if (*count)
        accesses = arena_alloc(names->work->arena, *count * sizeof *accesses);
    for (uint32_t i = 0; i < *count; i++) {
        accesses[i] = x->accesses.at[event->accesses + i].access;
        accesses[i].loc = names_location(names, x->world, accesses[i].loc);
    }
    return accesses;
}

/* Makes a copy of a branch without what hangs on it. */
typedef struct branch *(*branch_copier)(void *context, const struct branch *branch);

/* Copies the list and all that follows each of it. Only chains are deep, so there is no recursion along children alone. */
static struct branch *branches_copy(struct arena *arena, const struct branch *list,
                                    branch_copier copier, void *context)
{
    struct pair {
        const struct branch *from;
        struct branch **to;
    } next;
    VEC(struct pair) left = {0};
    struct branch *copy = NULL;

    if (list)
        vec_push(arena, &left, (struct pair){list, &copy});
    while (left.count > 0) {
        next = left.at[--left.count];
        *next.to = copier(context, next.from);
        if (next.from->sibling)
            vec_push(arena, &left, (struct pair){next.from->sibling, &(*next.to)->sibling});
        if (next.from->child)
            vec_push(arena, &left, (struct pair){next.from->child, &(*next.to)->child});
    }
    vec_free(arena, &left);
    return copy;
}

struct naming {
    struct work_names *names;
    const struct world *world;
};

static struct branch *branch_name(void *context, const struct branch *branch)
{
    struct naming *naming = context;
    struct branch *copy = branch_new(naming->names->work->arena,
                                     names_choice_of(naming->names, naming->world, branch->choice),
                                     branch->accesses, branch->access_count);

    copy->inexact = branch->inexact;
    copy->rests = branch->rests;
    for (uint32_t i = 0; i < copy->access_count; i++)
        copy->accesses[i].loc =
            names_location(naming->names, naming->world, branch->accesses[i].loc);
    return copy;
}

struct branch *names_branches(struct work_names *names, const struct world *world,
                              const struct branch *list)
{
    struct naming naming = {names, world};

    return branches_copy(names->work->arena, list, branch_name, &naming);
}

/* ---- numbers for names */

void numbers_open(struct work_numbers *numbers, const struct work *work, struct world *world,
                  struct arena *arena)
{
    memset(numbers, 0, sizeof *numbers);
    for (uint32_t i = 0; i < work->agents.count; i++) {
        const struct work_agent *agent = &work->agents.at[i];
        agent_id thread = world_thread(world, agent->key);

        vec_push(arena, &numbers->agents,
                 agent->is_buffer ? buffer_named(world, thread, address_of(world, agent->addr))
                                  : thread);
    }
    for (uint32_t i = 0; i < work->locations.count; i++) {
        const struct work_location *location = &work->locations.at[i];
        uint64_t addr = address_of(world, location->addr);
        unsigned shift;

        if (location_has_agent(location->kind, location->addr, &shift))
            addr = location_with_agent(location->addr, shift,
                                       numbers->agents.at[location_agent(location->addr, shift)]);
        vec_push(arena, &numbers->locations, world_location(world, location->kind, addr));
    }
}

void numbers_close(struct work_numbers *numbers, struct arena *arena)
{
    vec_free(arena, &numbers->agents);
    vec_free(arena, &numbers->locations);
}

struct choice numbers_choice(const struct work_numbers *numbers, struct choice choice)
{
    if (choice.wakes)
        choice.outcome = numbers->agents.at[choice.outcome];
    choice.agent = numbers->agents.at[choice.agent];
    return choice;
}

struct numbering {
    const struct work_numbers *numbers;
    struct arena *arena;
};

static struct branch *branch_number(void *context, const struct branch *branch)
{
    struct numbering *numbering = context;
    struct branch *copy =
        branch_new(numbering->arena, numbers_choice(numbering->numbers, branch->choice),
                   branch->accesses, branch->access_count);

    copy->inexact = branch->inexact;
    copy->rests = branch->rests;
    for (uint32_t i = 0; i < copy->access_count; i++)
        copy->accesses[i].loc = numbering->numbers->locations.at[branch->accesses[i].loc];
    return copy;
}

struct branch *numbers_branches(const struct work_numbers *numbers, struct arena *arena,
                                const struct branch *list)
{
    struct numbering numbering = {numbers, arena};

    return branches_copy(arena, list, branch_number, &numbering);
}

/* ---- an explorer's state */

struct work_step work_step_of(struct work_names *names, const struct execution *x, event_id id)
{
    const struct event *event = &x->events.at[id];
    struct choice choice = {event->agent, event->outcome, event_wakes(event)};
    struct work_step step = {.choice = names_choice_of(names, x->world, choice),
                             .fatal = event->fatal};

    step.accesses = names_accesses(names, x, id, &step.access_count);
    return step;
}

static void schedule_take(struct work *work, const struct explorer *explorer,
                          struct work_names *names)
{
    const struct execution *x = &explorer->execution;
    const struct world *world = &explorer->world;

    names_open(names, work);
    /* in their order, which decides whom a signal wakes first: then the search goes on as it would have */
    for (agent_id agent = 0; agent < world->agents.count; agent++)
        names_agent(names, world, agent);
    for (event_id id = 0; id < x->events.count; id++)
        vec_push(work->arena, &work->schedule, work_step_of(names, x, id));
    work->seen = work->schedule.count;
}

void work_take_schedule(struct work *work, const struct explorer *explorer)
{
    struct work_names names;

    schedule_take(work, explorer, &names);
    work->fresh = true;
    for (uint32_t depth = 0; depth <= work->schedule.count; depth++)
        vec_push(work->arena, &work->nodes, (struct work_node){0});
}

void work_take(struct work *work, const struct explorer *explorer)
{
    const struct nodes *nodes = (const struct nodes *)explorer->reduction;
    const struct execution *x = &explorer->execution;
    const struct world *world = &explorer->world;
    struct work_names names;

    schedule_take(work, explorer, &names);
    for (uint32_t depth = 0; depth < nodes->at.count; depth++)
        vec_push(work->arena, &work->nodes,
                 (struct work_node){
                     .planned = names_branches(&names, world, nodes->at.at[depth].planned),
                     .done = names_branches(&names, world, nodes->at.at[depth].done)});
    /* what was under way in the last state has been explored */
    if (nodes->at.at[x->events.count].current)
        work_done_add(&vec_last(&work->nodes),
                      names_branches(&names, world, nodes->at.at[x->events.count].current));
    work->root = explorer->root;
    work->under_way = explorer->braked && explorer->resumed;
    work->stats = explorer->stats;
    work->runs = explorer->runs;
    work->max_steps = explorer->max_steps;
    work->first_done = explorer->first_done;
    work->random = explorer->random;
}

void work_done_add(struct work_node *node, struct branch *branch)
{
    branch->sibling = node->done;
    node->done = branch;
}

/* As nodes_next would find before it takes it. */
static bool step_is_asleep(struct nodes *nodes, uint32_t depth, struct choice choice)
{
    return nodes->sleeping && choice.agent < nodes->base.execution->world->agents.count &&
           world_enabled(nodes->base.execution->world, choice.agent) &&
           !nodes_settle(nodes, depth, &choice);
}

static bool steps_follow(struct explorer *explorer, const struct work *work,
                         const struct work_numbers *numbers)
{
    struct nodes *nodes = (struct nodes *)explorer->reduction;
    /* of what others explore only the order is known, not whether it comes earlier: known states need that (docs/cluster.md). And a state that was explored in part
     * once more has less asleep than those before it had */
    bool sleeps = !states_kind_compares(explorer->options.states);

    explorer_begin(explorer);
    for (uint32_t depth = 0;; depth++) {
        const struct work_node *node = &work->nodes.at[depth];
        bool last = depth == work->schedule.count;
        const struct work_step *step = last ? NULL : &work->schedule.at[depth];

        if (!last || !work->fresh)
            nodes_place(nodes, depth, numbers_branches(numbers, explorer->arena, node->planned),
                        numbers_branches(numbers, explorer->arena, node->done), sleeps);
        if (last)
            return true;
        if (depth >= work->seen &&
            step_is_asleep(nodes, depth, numbers_choice(numbers, step->choice)))
            return false;
        if (!explorer_follow(explorer, numbers_choice(numbers, step->choice), step->fatal)) {
            explorer->diverged = depth;
            explorer->missing = numbers_choice(numbers, step->choice).agent;
            return false;
        }
        /* races of steps that others took are theirs; those that may look otherwise at the end of a run are kept */
        if (!explorer->reduction->ops->races_at_end && depth < work->seen)
            races_keep_changed(&explorer->execution);
    }
}

bool explorer_adopt(struct explorer *explorer, const struct work *work)
{
    struct nodes *nodes = (struct nodes *)explorer->reduction;
    const struct reduction_ops *ops = explorer->reduction->ops;
    bool comparing = explorer->comparing;
    struct work_numbers numbers;
    bool followed;

    CHECK(explorer->path.count == 0, "an explorer can only adopt work when it has none");
    CHECK(ops->races_at_end || work->schedule.count - work->seen <= 1,
          "races of several new steps at once");
    CHECK(work->root == 0 || nodes->above, "work of a part, and nobody above");
    numbers_open(&numbers, work, &explorer->world, explorer->arena);
    nodes->root = 0; /* what others know of their states is not told to them again */
    explorer->adopting = true;
    explorer->comparing = false;
    followed = steps_follow(explorer, work, &numbers);
    explorer->adopting = false;
    explorer->comparing = comparing;
    numbers_close(&numbers, explorer->arena);
    if (!followed)
        return false;
    explorer->root = nodes->root = work->root;
    /* the steps so far are part of a run, even if it ends there */
    explorer->resumed = work->fresh || work->under_way;
    if (!ops->races_at_end)
        explorer_reverse(explorer);
    explorer->stats.transitions += work->schedule.count - work->seen;
    if (comparing && !states_catch_up(&explorer->states, &explorer->diverged))
        return false;
    explorer->known = comparing && work->fresh && states_arrive(&explorer->states);
    return true;
}

void explorer_restore(struct explorer *explorer, const struct work *work)
{
    explorer->stats = work->stats;
    explorer->states.stats = work->stats.states;
    explorer->states.stats.full = false;
    explorer->symmetry.stats = work->stats.symmetry;
    explorer->runs = work->runs;
    explorer->max_steps = work->max_steps;
    explorer->first_done = work->first_done;
    explorer->random = work->random;
}
