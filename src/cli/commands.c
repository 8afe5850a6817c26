#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

const struct subcommand *const subcommands[] = {
    &subcommand_check,
    &subcommand_replay,
    &subcommand_show,
    &subcommand_cc,
    &subcommand_cxx,
    &subcommand_litmus,
    &subcommand_simulate,
    &subcommand_help,
    &subcommand_completion,
    &subcommand_manual,
    NULL,
};

const struct subcommand *subcommand_find(const char *name)
{
    for (const struct subcommand *const *s = subcommands; *s; s++)
        if (strcmp(name, (*s)->name) == 0)
            return *s;
    return NULL;
}

void subcommand_unknown(const char *name)
{
    struct suggestion best = {0};
    char hint[80] = "";

    for (const struct subcommand *const *s = subcommands; *s; s++)
        if (!(*s)->hidden)
            suggestion_try(&best, name, strlen(name), (*s)->name);
    suggestion_try(&best, name, strlen(name), "--help");
    suggestion_try(&best, name, strlen(name), "--version");
    if (best.nearest)
        snprintf(hint, sizeof hint, "did you mean %s? ", best.nearest);
    fprintf(stderr, "raddle: unknown command '%s'; %s`raddle --help` lists them\n", name, hint);
}
