#ifndef RADDLE_TESTS_NATIVE_OUTCOME_H
#define RADDLE_TESTS_NATIVE_OUTCOME_H

/* What an exploration of one program under one model finds; the same for both sides. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/bug.h"
#include "script/program.h"

struct outcome {
    uint64_t executions; /* complete runs */
    uint64_t given_up;   /* redundant, or with a failed assumption */
    uint32_t kinds;      /* of the bugs: 1 << enum bug_kind, or-ed together */
    uint64_t *states;    /* hashes of the states at the ends without a bug, sorted; malloced */
    uint64_t *in_order;  /* natively: the same as they came */
    uint32_t state_count;
    bool
        crowded; /* a script whose barriers more threads may use than they take: C may know better */
    char problem
        [400]; /* what makes the rest meaningless: a crash of raddle, no result; "" if nothing */
};

/* The scripted side: runs the engine in this process. False if there are more than `limit` executions. The kinds are
 * those that the program as C shows: an access to what does not exist is a crash or a failed assertion there. */
bool outcome_of_script(const struct program *program, const char *model, uint64_t limit,
                       struct outcome *outcome);

/* The native side: `raddle check` in the working directory. `number` selects the program in the file, `stateful` is as after --stateful;
 * `apart`: every order of what commutes is tried. */
void outcome_of_native(const char *raddle, const char *binary, unsigned number, const char *model,
                       uint64_t order, const char *stateful, bool apart, struct outcome *outcome);

/* Sorts the states. */
void outcome_settle(struct outcome *outcome);
void outcome_free(struct outcome *outcome);

/* True if both are the same; else says what is not. `counts`: how many runs there were, too. */
bool outcome_compare(const struct outcome *script, const struct outcome *native, bool counts,
                     FILE *out);

/* Runs a command, its output into `log`. The exit status; 128 + n if killed by signal n, and by SIGKILL after
 * `seconds`. */
int command_run(char *const *argv, const char *log, unsigned seconds);

#endif
