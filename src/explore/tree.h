#ifndef RADDLE_EXPLORE_TREE_H
#define RADDLE_EXPLORE_TREE_H

#include "explore/explorer.h"

/* The states that a search goes through, for people who want to see them. It only watches: the search does not know it. */

#define TREE_NONE UINT32_MAX

/* How a run that ends in a state ended. */
enum tree_mark {
    TREE_INNER, /* no run ends there */
    TREE_DONE,
    TREE_ASSUME, /* an assumption failed */
    TREE_BUG,
    TREE_ASLEEP, /* given up: redundant */
    TREE_KNOWN,  /* given up: at a state that was explored before */
    TREE_CUT,    /* given up: a bound */
};

/* A state, and the step that leads there. */
struct tree_node {
    uint32_t parent; /* TREE_NONE: the initial state */
    uint32_t thread; /* whose step, as the target numbers them */
    bool is_buffer;
    uint8_t mark;     /* enum tree_mark */
    bool more;        /* states behind it were left out */
    uint32_t run;     /* mark: which run it was, from 1 */
    const char *text; /* what the step does; lines end with \n */
};

struct tree {
    struct arena *arena;
    uint32_t max;                /* states; 0: nothing is kept */
    VEC(struct tree_node) nodes; /* parents first */
    VEC(uint32_t) path;          /* by depth: the state of the present run, or TREE_NONE */
    uint32_t runs;
    bool full; /* there were more states */
};

/* Empty, but for the initial state. */
void tree_open(struct tree *tree, struct arena *arena, uint32_t max);

/* The search is about to take a step from the state at `depth`. `text` must live as long as the tree. */
void tree_step(struct tree *tree, uint32_t depth, uint32_t thread, bool is_buffer,
               const char *text);

/* Whether the next tree_step from there would be kept: if not, its text need not be made. */
bool tree_wants(const struct tree *tree, uint32_t depth);

/* The run ends in the state at `depth`. */
void tree_end(struct tree *tree, uint32_t depth, enum tree_mark mark);

/* What the ending of the run in `explorer` is called there; `failed` if it shows a bug. */
enum tree_mark tree_mark_of(const struct explorer *explorer, enum ending ending, bool failed);

#endif
