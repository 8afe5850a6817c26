#ifndef RADDLE_EXPLORE_NODES_H
#define RADDLE_EXPLORE_NODES_H

#include "explore/branch.h"

/* What is planned, under way and done from one state of the search. */
struct node {
    struct branch *planned; /* to be tried, in this order; optimal: the wakeup tree of the state */
    struct branch *current; /* being explored, or NULL */
    struct branch *done;    /* explored */
};

/* The states on the stack, as all reductions keep them. */
struct nodes {
    struct reduction base;
    bool sleeping; /* keep sleep sets */
    struct sleep_sets sleep;
    VEC(struct node) at; /* by depth */
};

/* Sets up the part that all reductions share. */
void nodes_open(struct nodes *nodes, struct arena *arena, bool sleeping);

/* Adds the state at `depth`: what was planned behind the branch that led there is planned there now. */
void nodes_enter(struct nodes *nodes, uint32_t depth);

/* Adds a branch, behind all that are planned or, if `urgent`, before them; unless it is there already in some
 * form. OUTCOME_ANY stands for all outcomes: the first is tried, and the others follow as races. */
void nodes_plan(struct nodes *nodes, uint32_t depth, struct choice choice, bool urgent);

/* Plans every enabled agent of the present state. */
void nodes_plan_all(struct nodes *nodes, uint32_t depth);

/* Plans the other outcomes of all that is planned, under way or done in the present state. */
void nodes_plan_outcomes(struct nodes *nodes, uint32_t depth);

/* Nothing is planned there any more. */
void nodes_forget(struct nodes *nodes, uint32_t depth);

/* Whether `agent` is planned, under way or done there. */
bool nodes_have(const struct nodes *nodes, uint32_t depth, agent_id agent);

/* The weighted backtrack estimate: each state's branches, as far as they are known, are taken to be equally large; the share of
 * those explored, from 0 to 1. */
double nodes_progress(const struct reduction *reduction);

/* For reduction_ops, as they say there. */
bool nodes_more(struct reduction *reduction, uint32_t depth);
bool nodes_next(struct reduction *reduction, uint32_t depth, struct choice *choice);
void nodes_leave(struct reduction *reduction, uint32_t depth);

#endif
