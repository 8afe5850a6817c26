#ifndef RADDLE_EXPLORE_SYMMETRY_H
#define RADDLE_EXPLORE_SYMMETRY_H

#include "base/map.h"
#include "explore/branch.h"

/* Threads that are interchangeable: of two that are alike in a state (model/alike.h) only one has to be tried there (symmetry-discovery). docs/symmetry.md
 * says why nothing is lost. In short: what follows the other one is the same with the two names exchanged, but for two things.
 *
 * Races with what came before: the search learns from what follows a state what else has to be tried in the states before it, and what follows the thread that is not tried
 * would have told other things, if the two have a different past. So neither may have done anything so far, and what happened before both must be the same. Or the search
 * keeps what may follow each state (states.h): then that is held against what came before, with the two names exchanged.
 *
 * Whoever knows them by name: a thread that joins one of them and then does something before it joins the other tells them apart. What follows the
 * thread that was tried has been explored when the other one's turn comes, so all such uses of names have been seen by then. */

enum symmetry_kind {
    SYMMETRY_OFF,
    SYMMETRY_NEW, /* threads that have done nothing so far: costs next to nothing */
    SYMMETRY_ALL, /* whatever they have done; what may follow each state is kept for that */
};

struct symmetry_stats {
    uint64_t checks; /* pairs of threads that were compared */
    uint64_t found;  /* that were interchangeable */
    uint64_t saved;  /* transitions that were not tried for it, each with all that follows */
};

struct states; /* states.h */

struct symmetry {
    struct execution *execution;
    struct states *states; /* what may follow a state; or NULL: nobody knows */
    bool past;             /* SYMMETRY_ALL: threads that have done something count, too */
    struct symmetry_stats stats;
    VEC(uint64_t) marks; /* by agent: threads with different ones are told apart by others */
    struct map chains;   /* sets of threads that were joined in a row, by their hashes */
    VEC(uint32_t) clock; /* scratch */
    const char *reason;  /* why the last pair was not interchangeable */
};

void symmetry_open(struct symmetry *symmetry, struct execution *execution);

/* The last event is new: notes whom it names. */
void symmetry_event(struct symmetry *symmetry);

/* The execution is at its end: the same for who has joined others and is through. */
void symmetry_end(struct symmetry *symmetry);

/* Whether `choice` need not be taken in the present state, since another one is explored, there (`here`) or at a state before it, that does the same with the two names exchanged. */
bool symmetry_covers(struct symmetry *symmetry, const struct branch *explored, bool here,
                     struct choice choice);

/* Whether others have used the names of the two in different ways. */
bool symmetry_tells_apart(struct symmetry *symmetry, agent_id a, agent_id b);

/* Whether the two threads are interchangeable in the present state, whatever they have done so far (`past`) or as they have not done anything; `reason` tells why not. */
bool symmetry_pair(struct symmetry *symmetry, agent_id a, agent_id b, bool past);

#endif
