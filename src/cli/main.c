#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/interrupt.h"

#ifndef RADDLE_VERSION
#define RADDLE_VERSION "unknown"
#endif

static int flush_output(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        interrupt_broken_pipe();
        fprintf(stderr, "raddle: cannot write to standard output\n");
        return EXIT_STATUS_ENVIRONMENT;
    }
    return status;
}

int main(int argc, char **argv)
{
    const struct subcommand *subcommand;

    if (argc < 2) {
        fprintf(stderr, "raddle: no command; `raddle --help` lists them\n");
        return EXIT_STATUS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_all();
        return flush_output(EXIT_STATUS_SAFE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("raddle %s\n", RADDLE_VERSION);
        return flush_output(EXIT_STATUS_SAFE);
    }
    subcommand = subcommand_find(argv[1]);
    if (subcommand)
        return flush_output(subcommand->run(argc - 1, argv + 1));
    subcommand_unknown(argv[1]);
    return EXIT_STATUS_USAGE;
}
