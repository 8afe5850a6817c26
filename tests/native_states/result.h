#ifndef RADDLE_TESTS_NATIVE_STATES_RESULT_H
#define RADDLE_TESTS_NATIVE_STATES_RESULT_H

/* What one search of one program has found. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { RESULT_BUGS_MAX = 200, RESULT_BUG_TEXT = 160 };

/* Sorted, each once. */
struct bug_list {
    char at[RESULT_BUGS_MAX][RESULT_BUG_TEXT];
    unsigned count;
};

struct result {
    char verdict[16];
    char reason[200];                                /* the first one of an incomplete search */
    uint64_t executions, blocked, states, revisited; /* the last: or left out by symmetry */
    struct bug_list bugs;  /* kind and line; of a race, what it is about */
    struct bug_list pairs; /* of races: both accesses in a fixed order */
    uint64_t *finals; /* hashes of the states at ends without a bug, sorted, each once; malloced */
    uint32_t final_count;
    char problem[300]; /* what makes the rest meaningless; "" if nothing */
};

/* How to search. */
struct search {
    const char *raddle, *binary, *model, *kind,
        *reduction;             /* kind: as behind --; reduction: or NULL */
    const char *rounds, *races; /* or NULL: as usual */
    unsigned number;            /* of the program in the file */
    uint64_t limit;             /* of executions */
    unsigned seconds;           /* the search gives up behind them */
    bool apart;                 /* every order of what commutes */
    unsigned jobs;              /* processes that search together, or 0: one */
    bool states;                /* they are compared, whatever the kind is */
};

/* Runs `raddle check` in the working directory. */
void result_of(const struct search *search, struct result *result);
void result_free(struct result *result);

bool result_has(const struct result *result, const char *kind);

/* True if both found the same; else says what is not. Which pairs of places stand for the races on a variable may differ: once one is found,
 * accesses to it are steps of the search, and one order of each class of interleavings is seen, which is that of any of the pairs. */
bool result_compare(const struct result *plain, const struct result *stateful, FILE *out);

/* How many pairs only the first has. */
unsigned result_pairs_only(const struct result *a, const struct result *b);

#endif
