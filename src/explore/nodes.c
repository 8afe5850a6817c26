#include "explore/nodes.h"

#include "base/check.h"
#include "model/touch.h"

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

        node.planned = taken->child;
        taken->child = NULL;
    }
    if (nodes->sleeping)
        sleep_enter(&nodes->sleep, nodes->base.execution, depth);
    vec_push(nodes->base.arena, &nodes->at, node);
}

/* So far it touched what was foreseen; from now on, what it did touch. */
const struct branch *nodes_look(struct nodes *nodes, uint32_t depth)
{
    struct branch *taken = nodes->at.at[depth].current;

    branch_set_event(nodes->base.arena, taken, nodes->base.execution, depth);
    return taken;
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
    return node_has(&nodes->at.at[depth], (struct choice){agent, OUTCOME_ANY, 0});
}

void nodes_plan(struct nodes *nodes, uint32_t depth, struct choice choice, bool urgent)
{
    struct node *node = &nodes->at.at[depth];
    struct branch **link = &node->planned;
    struct branch *branch;

    if (node_has(node, choice))
        return;
    if (depth < nodes->root) {
        nodes->above->plan(nodes->above, depth, choice, urgent);
        return;
    }
    branch = branch_new(nodes->base.arena, choice, NULL, 0);
    branch->inexact = true; /* what it touches is not known here */
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
        for (uint32_t i = 0; x->outcomes.count > 1 && i < x->outcomes.count; i++) {
            struct choice choice = {.agent = agent};

            choice_set_outcome(x->world, &choice, x->outcomes.at[i]);
            nodes_plan(nodes, depth, choice, false);
        }
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
            nodes_plan(nodes, depth, (struct choice){world->active.at[i], OUTCOME_ANY, 0}, false);
}

/* It is explored; with sleep sets, it falls asleep. */
static void node_finish(struct nodes *nodes, uint32_t depth, struct branch *branch)
{
    struct node *node = &nodes->at.at[depth];

    if (nodes->sleeping)
        sleep_add(&nodes->sleep, depth, branch);
    branch->sibling = node->done;
    node->done = branch;
}

static void node_finish_current(struct nodes *nodes, uint32_t depth)
{
    struct node *node = &nodes->at.at[depth];

    if (node->current)
        node_finish(nodes, depth, node->current);
    node->current = NULL;
}

/* ---- interchangeable threads */

static bool is_done_here(const struct node *node, const struct branch *branch)
{
    for (const struct branch *done = node->done; done; done = done->sibling)
        if (done == branch)
            return true;
    return false;
}

/* Whether something that is explored stands for the choice, in the present state; if interchangeable threads are looked for. Not what others explore: who uses the names of threads behind it is not known here, nor what else may follow. */
static bool choice_is_covered(struct nodes *nodes, uint32_t depth, struct choice choice)
{
    const struct node *node = &nodes->at.at[depth];
    uint32_t count = 0;
    const struct branch *const *sleepers =
        nodes->sleeping ? sleep_at(&nodes->sleep, depth, &count) : NULL;

    for (const struct branch *done = node->done; done; done = done->sibling)
        if (!done->foreign && symmetry_covers(nodes->symmetry, done, true, choice))
            return true;
    for (uint32_t i = 0; i < count; i++)
        if (!sleepers[i]->foreign && !is_done_here(node, sleepers[i]) &&
            symmetry_covers(nodes->symmetry, sleepers[i], false, choice))
            return true;
    return false;
}

/* The choice is as good as explored. */
static void choice_cover(struct nodes *nodes, uint32_t depth, struct choice choice)
{
    struct execution *x = nodes->base.execution;
    struct footprint footprint;
    struct op space;

    op_touch(x->world, &view_now, choice.agent, world_pending(x->world, choice.agent, &space),
             &footprint, NULL);
    node_finish(nodes, depth, branch_new(nodes->base.arena, choice, footprint.at, footprint.count));
    nodes->symmetry->stats.saved++;
}

bool nodes_pick(struct nodes *nodes, uint32_t depth, agent_id preferred, struct choice *choice)
{
    while (sleep_pick(&nodes->sleep, nodes->base.execution, depth, preferred, choice)) {
        if (!nodes->symmetry || !choice_is_covered(nodes, depth, *choice))
            return true;
        choice_cover(nodes, depth, *choice);
    }
    return false;
}

/* ---- what to try next */

bool nodes_more(struct reduction *reduction, uint32_t depth)
{
    struct nodes *nodes = (struct nodes *)reduction;

    return nodes->at.at[depth].planned != NULL;
}

/* Settles OUTCOME_ANY, and refuses what is asleep. */
bool nodes_settle(struct nodes *nodes, uint32_t depth, struct choice *choice)
{
    struct execution *x = nodes->base.execution;

    if (nodes->sleeping)
        return choice->outcome == OUTCOME_ANY ? sleep_pick_outcome(&nodes->sleep, x, depth, choice)
                                              : !sleep_has(&nodes->sleep, depth, *choice);
    if (choice->outcome == OUTCOME_ANY) {
        world_outcomes(x->world, choice->agent, &x->outcomes);
        choice_set_outcome(x->world, choice, x->outcomes.at[0]);
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
        if (nodes_settle(nodes, depth, &branch->choice)) {
            if (!nodes->symmetry || !choice_is_covered(nodes, depth, branch->choice)) {
                node->current = branch;
                *choice = branch->choice;
                return true;
            }
            choice_cover(nodes, depth, branch->choice);
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
    if (node->planned)
        branch_free_tree(nodes->base.arena, node->planned);
    if (node->current)
        branch_free_tree(nodes->base.arena, node->current);
    if (node->done)
        branch_free_tree(nodes->base.arena, node->done);
    nodes->at.count = depth;
    if (depth > 0 && nodes->at.at[depth - 1].planned)
        nodes_look(nodes, depth - 1);
}

void nodes_place(struct nodes *nodes, uint32_t depth, struct branch *planned, struct branch *done,
                 bool asleep)
{
    struct node *node = &nodes->at.at[depth];

    nodes_forget(nodes, depth);
    node->planned = planned;
    node->done = done;
    for (; done; done = done->sibling) {
        done->foreign = true;
        if (nodes->sleeping && asleep)
            sleep_add(&nodes->sleep, depth, done);
    }
}

void nodes_learn(struct nodes *nodes, uint32_t depth, struct branch *planned)
{
    while (planned) {
        struct branch **link = &nodes->at.at[depth].planned, *next = planned->sibling;

        while (*link && ((*link)->choice.agent != planned->choice.agent ||
                         (*link)->choice.outcome != planned->choice.outcome))
            link = &(*link)->sibling;
        if (*link) {
            branch_free_tree(nodes->base.arena, (*link)->child);
            (*link)->child = planned->child;
            branch_free(nodes->base.arena, planned);
        } else {
            planned->sibling = NULL;
            *link = planned;
        }
        planned = next;
    }
}

void nodes_set_current(struct nodes *nodes, uint32_t depth, struct choice choice)
{
    nodes->at.at[depth].current = branch_new(nodes->base.arena, choice, NULL, 0);
}

static uint32_t list_length(const struct branch *list)
{
    uint32_t length = 0;

    for (; list; list = list->sibling)
        length++;
    return length;
}

uint32_t nodes_done(const struct nodes *nodes, uint32_t depth)
{
    return list_length(nodes->at.at[depth].done);
}

uint32_t nodes_branches(const struct nodes *nodes, uint32_t depth)
{
    const struct node *node = &nodes->at.at[depth];

    return list_length(node->done) + list_length(node->planned) + (node->current != NULL);
}

double nodes_progress(const struct reduction *reduction)
{
    const struct nodes *nodes = (const struct nodes *)reduction;
    double share = 1, progress = 0; /* share: what the present state is of the whole */

    for (uint32_t depth = nodes->root; depth < nodes->at.count; depth++) {
        uint32_t all = nodes_branches(nodes, depth);

        if (all == 0)
            break;
        progress += share * nodes_done(nodes, depth) / all;
        share /= all;
    }
    return progress;
}
