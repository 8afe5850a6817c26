#ifndef RADDLE_EXPLORE_ESTIMATE_H
#define RADDLE_EXPLORE_ESTIMATE_H

#include "base/vec.h"
#include "explore/nodes.h"

/* How large a search will have been, guessed while it goes on.
 *
 * The search is a tree, and what is known of it are the states on the stack, from the one under way back to the first: how many branches each has so far, and how many runs there
 * were behind those that are explored. The branches that are left are taken to be like their explored neighbours; where there are none, like the first one, times what later
 * branches were of first ones in all states so far. A state may get more branches while the search goes on: as many as states that are explored got after the
 * same time.
 *
 * That is the weighted backtrack estimate (Kilby et al. 2006) with corrections for what DPOR does: branches that are found late, and sleep sets, by which later
 * branches are smaller than first ones. */

/* One state on the stack, in runs of the search so far. */
struct estimate_level {
    uint64_t entered; /* when the state was entered; RUNS_UNKNOWN: by another search */
    uint64_t first;   /* when its first branch was explored; 0: it is not */
    uint64_t began;   /* when the branch under way began */
    uint32_t early;   /* branches known after its first run; 0: nobody looked */
    uint32_t known;   /* … when its first branch was explored */
};

#define RUNS_UNKNOWN UINT64_MAX

struct estimate {
    struct arena *arena;
    VEC(struct estimate_level)
    levels;           /* by depth; those that are new in the run under way are not there yet */
    uint32_t turned;  /* states of the first run up to the one that the search first went back to */
    uint32_t adopted; /* states before that depth were explored in part by another search */

    /* sums over states that are explored, of how many branches they had in the end and before */
    double early, early_final;
    double known, known_final;
    /* over such that had several: runs behind later branches, and behind as many first ones */
    double later, firsts;
};

void estimate_open(struct estimate *estimate, struct arena *arena);

/* A part of what is to be done in the states up to that depth was done by another search. */
void estimate_adopt(struct estimate *estimate, uint32_t depth);

/* A state has been explored, by all runs so far that came there, and is about to be left. */
void estimate_leave(struct estimate *estimate, const struct nodes *nodes, uint32_t depth,
                    uint64_t runs);

/* The search goes on with another branch of the state at that depth, and all behind it is left. */
void estimate_next(struct estimate *estimate, const struct nodes *nodes, uint32_t depth,
                   uint64_t runs);

/* The guess: runs in all. Costs as much as the stack is deep. */
double estimate_runs(const struct estimate *estimate, const struct nodes *nodes, uint64_t runs);

/* How far up the search has come, from 0 to 1: of the states of the first run, down to the last that had another branch, the share that has an explored branch, or is behind one that has. */
double estimate_reach(const struct estimate *estimate, const struct nodes *nodes);

#endif
