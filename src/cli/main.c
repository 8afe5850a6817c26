#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#define RADDLE_VERSION "0.1.0"

static const struct subcommand *const subcommands[] = {
    &subcommand_check,
    &subcommand_replay,
    &subcommand_show,
    &subcommand_cc,
    &subcommand_cxx,
    &subcommand_litmus,
    NULL,
};

static void print_help(void)
{
    printf("raddle runs a multithreaded program under every thread interleaving that matters.\n\n"
           "usage: raddle COMMAND [OPTIONS] …\n\n");
    for (const struct subcommand *const *s = subcommands; *s; s++)
        printf("  %-8s %-30s %s\n", (*s)->name, (*s)->arguments, (*s)->summary);
    printf(
        "\n`raddle COMMAND --help` tells the options of a command, `raddle --version` the version.\n"
        "Exit status: 0 safe, 1 a bug was found, 2 wrong usage or input, 3 incomplete,\n"
        "4 the environment failed, 70 raddle itself is wrong.\n");
}

static int flush_output(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "raddle: cannot write to standard output\n");
        return EXIT_STATUS_ENVIRONMENT;
    }
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "raddle: no command; `raddle --help` lists them\n");
        return EXIT_STATUS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_help();
        return flush_output(EXIT_STATUS_SAFE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("raddle %s\n", RADDLE_VERSION);
        return flush_output(EXIT_STATUS_SAFE);
    }
    for (const struct subcommand *const *s = subcommands; *s; s++)
        if (strcmp(argv[1], (*s)->name) == 0)
            return flush_output((*s)->run(argc - 1, argv + 1));
    fprintf(stderr, "raddle: unknown command '%s'; `raddle --help` lists them\n", argv[1]);
    return EXIT_STATUS_USAGE;
}
