#include "explore/nodes.h"

#include "base/check.h"

void nodes_open(struct nodes *nodes, struct arena *arena, bool sleeping)
{
    memset(nodes, 0, sizeof *nodes);
    nodes->base.arena = nodes->sleep.arena = arena;
    nodes->sleeping = sleeping;
}

void nodes_enter(struct nodes *nodes, uint32_t depth)
{
    struct node node = {0};

    CHECK(nodes->at.count == depth, "nodes out of step");
    if (depth > 0) {
        struct branch *taken = nodes->at.at[depth - 1].current;

        /* so far it touched what was foreseen; from now on, what it did touch */
        branch_set_event(nodes->base.arena, taken, nodes->base.execution, depth - 1);
        node.planned = taken->child;
        taken->child = NULL;
    }
    if (nodes->sleeping)
        sleep_enter(&nodes->sleep, nodes->base.execution, depth);
    vec_push(nodes->base.arena, &nodes->at, node);
}

static bool list_has(const struct branch *list, struct choice choice)
{
    for (; list; list = list->sibling)
        if (list->choice.agent == choice.agent &&
            (choice.outcome == OUTCOME_ANY || list->choice.outcome == choice.outcome))
            return true;
    return false;
}

static bool node_has(const struct node *node, struct choice choice)
{
    return list_has(node->planned, choice) || list_has(node->current, choice) ||
           list_has(node->done, choice);
}

bool nodes_have(const struct nodes *nodes, uint32_t depth, agent_id agent)
{
    return node_has(&nodes->at.at[depth], (struct choice){agent, OUTCOME_ANY});
}

void nodes_plan(struct nodes *nodes, uint32_t depth, struct choice choice, bool urgent)
{
    struct node *node = &nodes->at.at[depth];
    struct branch **link = &node->planned;
    struct branch *branch;

    if (node_has(node, choice))
        return;
    branch = branch_new(nodes->base.arena, choice, NULL, 0);
    while (!urgent && *link)
        link = &(*link)->sibling;
    branch->sibling = *link;
    *link = branch;
}

static void list_plan_outcomes(struct nodes *nodes, uint32_t depth, const struct branch *list)
{
    struct execution *x = nodes->base.execution;

    for (; list; list = list->sibling) {
        agent_id agent = list->choice.agent;

        world_outcomes(x->world, agent, &x->outcomes);
        for (uint32_t i = 0; x->outcomes.count > 1 && i < x->outcomes.count; i++)
            nodes_plan(nodes, depth, (struct choice){agent, x->outcomes.at[i]}, false);
    }
}

void nodes_plan_outcomes(struct nodes *nodes, uint32_t depth)
{
    list_plan_outcomes(nodes, depth, nodes->at.at[depth].done);
    list_plan_outcomes(nodes, depth, nodes->at.at[depth].current);
    list_plan_outcomes(nodes, depth, nodes->at.at[depth].planned);
}

void nodes_forget(struct nodes *nodes, uint32_t depth)
{
    branch_free_tree(nodes->base.arena, nodes->at.at[depth].planned);
    nodes->at.at[depth].planned = NULL;
}

void nodes_plan_all(struct nodes *nodes, uint32_t depth)
{
    struct world *world = nodes->base.execution->world;

    for (uint32_t i = 0; i < world->active.count; i++)
        if (world_enabled(world, world->active.at[i]))
            nodes_plan(nodes, depth, (struct choice){world->active.at[i], OUTCOME_ANY}, false);
}

/* What was under way is explored; with sleep sets, it falls asleep. */
static void node_finish_current(struct nodes *nodes, uint32_t depth)
{
    struct node *node = &nodes->at.at[depth];

    if (!node->current)
        return;
    if (nodes->sleeping)
        sleep_add(&nodes->sleep, depth, node->current);
    node->current->sibling = node->done;
    node->done = node->current;
    node->current = NULL;
}

bool nodes_more(struct reduction *reduction, uint32_t depth)
{
    struct nodes *nodes = (struct nodes *)reduction;

    return nodes->at.at[depth].planned != NULL;
}

/* Settles OUTCOME_ANY, and refuses what is asleep. */
static bool choice_settle(struct nodes *nodes, uint32_t depth, struct choice *choice)
{
    struct execution *x = nodes->base.execution;

    if (nodes->sleeping)
        return choice->outcome == OUTCOME_ANY ? sleep_pick_outcome(&nodes->sleep, x, depth, choice)
                                              : !sleep_has(&nodes->sleep, depth, *choice);
    if (choice->outcome == OUTCOME_ANY) {
        world_outcomes(x->world, choice->agent, &x->outcomes);
        choice->outcome = x->outcomes.at[0];
    }
    return true;
}

bool nodes_next(struct reduction *reduction, uint32_t depth, struct choice *choice)
{
    struct nodes *nodes = (struct nodes *)reduction;
    struct node *node = &nodes->at.at[depth];

    node_finish_current(nodes, depth);
    while (node->planned) {
        struct branch *branch = node->planned;

        node->planned = branch->sibling;
        branch->sibling = NULL;
        if (choice_settle(nodes, depth, &branch->choice)) {
            node->current = branch;
            *choice = branch->choice;
            return true;
        }
        branch_free_tree(nodes->base.arena, branch);
    }
    return false;
}

void nodes_leave(struct reduction *reduction, uint32_t depth)
{
    struct nodes *nodes = (struct nodes *)reduction;
    struct node *node = &nodes->at.at[depth];

    if (nodes->sleeping)
        sleep_leave(&nodes->sleep, depth);
    branch_free_tree(nodes->base.arena, node->planned);
    branch_free_tree(nodes->base.arena, node->current);
    branch_free_tree(nodes->base.arena, node->done);
    nodes->at.count = depth;
}

static uint32_t list_length(const struct branch *list)
{
    uint32_t length = 0;

    for (; list; list = list->sibling)
        length++;
    return length;
}

double nodes_progress(const struct reduction *reduction)
{
    const struct nodes *nodes = (const struct nodes *)reduction;
    double share = 1, progress = 0; /* share: what the present state is of the whole */

    for (uint32_t depth = 0; depth < nodes->at.count; depth++) {
        const struct node *node = &nodes->at.at[depth];
        uint32_t done = list_length(node->done);
        uint32_t all = done + list_length(node->planned) + (node->current != NULL);

        if (all == 0)
            break;
        progress += share * done / all;
        share /= all;
    }
    return progress;
}
