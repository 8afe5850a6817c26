#ifndef RADDLE_EXPLORE_NODES_H
#define RADDLE_EXPLORE_NODES_H

#include "explore/symmetry.h"

/* What is planned, under way and done from one state of the search. */
struct node {
    struct branch *planned; /* to be tried, in this order; optimal: the wakeup tree of the state */
    struct branch *current; /* being explored, or NULL; what it touches: nodes_look */
    struct branch *done;    /* explored */
};

struct sequence;

/* Who has the states above the root of a search that is only a part of one. */
struct above {
    /* A choice is to be tried in the state at `depth`, as by nodes_plan. */
    void (*plan)(struct above *above, uint32_t depth, struct choice choice, bool urgent);
    /* A sequence is to be inserted there into the wakeup tree. */
    void (*insert)(struct above *above, uint32_t depth, const struct sequence *v);
};

/* The states on the stack, as all reductions keep them. Those before depth `root` are somebody else's: `done` are those that come before the branch under way there and
 * are explored or will be by others, `planned` those that come after it and will be, as far as is known. */
struct nodes {
    struct reduction base;
    bool sleeping; /* keep sleep sets */
    struct sleep_sets sleep;
    struct symmetry *symmetry; /* NULL: nobody looks for interchangeable threads */
    VEC(struct node) at;       /* by depth */
    bool shortens;             /* explorer_options.shares */
    uint32_t root;
    struct above *above; /* or NULL if root is 0 */
};

/* Sets up the part that all reductions share. */
void nodes_open(struct nodes *nodes, struct arena *arena, bool sleeping);

/* Adds the state at `depth`: what was planned behind the branch that led there is planned there now. */
void nodes_enter(struct nodes *nodes, uint32_t depth);

/* The branch under way in that state, which is not the deepest one, with what its event has touched. Else that is looked up only if the search comes back to the
 * state, and has something left to try there. */
const struct branch *nodes_look(struct nodes *nodes, uint32_t depth);

/* Adds a branch, behind all that are planned or, if `urgent`, before them; unless it is there already in some
 * form. OUTCOME_ANY stands for all outcomes: the first is tried, and the others follow as races. */
void nodes_plan(struct nodes *nodes, uint32_t depth, struct choice choice, bool urgent);

/* Somebody to begin with in the deepest, present state: `preferred` if it can, nobody that is asleep or as good as asleep. False if there is none. */
bool nodes_pick(struct nodes *nodes, uint32_t depth, agent_id preferred, struct choice *choice);

/* Plans every enabled agent of the present state. */
void nodes_plan_all(struct nodes *nodes, uint32_t depth);

/* Plans the other outcomes of all that is planned, under way or done in the present state. */
void nodes_plan_outcomes(struct nodes *nodes, uint32_t depth);

/* Nothing is planned there any more. */
void nodes_forget(struct nodes *nodes, uint32_t depth);

/* Whether `agent` is planned, under way or done there. */
bool nodes_have(const struct nodes *nodes, uint32_t depth, agent_id agent);

/* Puts what another search has planned and done into the deepest state, which was just entered, instead of what was planned there; both lists become the node's. With
 * sleep sets, what is done there falls asleep if `asleep`. */
void nodes_place(struct nodes *nodes, uint32_t depth, struct branch *planned, struct branch *done,
                 bool asleep);

/* What is planned in a state before the root, as it is now: in the place of what was known of the same branches, and behind all that was known. */
void nodes_learn(struct nodes *nodes, uint32_t depth, struct branch *planned);

/* Settles the outcome of a choice in the present, deepest state. False if all are asleep. */
bool nodes_settle(struct nodes *nodes, uint32_t depth, struct choice *choice);

/* Takes that choice next from the deepest state; it was planned elsewhere. */
void nodes_set_current(struct nodes *nodes, uint32_t depth, struct choice choice);

/* How many branches of a state are explored; and how many it has, as far as is known. */
uint32_t nodes_done(const struct nodes *nodes, uint32_t depth);
uint32_t nodes_branches(const struct nodes *nodes, uint32_t depth);

/* The weighted backtrack estimate: each state's branches, as far as they are known, are taken to be equally large; the share of
 * those explored, from 0 to 1. */
double nodes_progress(const struct reduction *reduction);

/* For reduction_ops, as they say there. */
bool nodes_more(struct reduction *reduction, uint32_t depth);
bool nodes_next(struct reduction *reduction, uint32_t depth, struct choice *choice);
void nodes_leave(struct reduction *reduction, uint32_t depth);

#endif
