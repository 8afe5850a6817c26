#ifndef RADDLE_CLI_SCRIPT_PRINT_H
#define RADDLE_CLI_SCRIPT_PRINT_H

#include <stdio.h>

#include "explore/explorer.h"
#include "script/target.h"

/* A run of a scripted program, in words. */
struct script_run {
    const struct program *program;
    struct script *script;
    struct explorer *explorer; /* at the end of the run */
};

/* Who waits for what, if nobody can go on. */
void script_print_stuck(const struct script_run *run, FILE *out);

/* All of its steps. */
void script_print_run(const struct script_run *run, FILE *out);

#endif
