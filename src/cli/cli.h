#ifndef RADDLE_CLI_CLI_H
#define RADDLE_CLI_CLI_H

/* Ground rules of the room `cli`: one file a subcommand; only this room talks to the user. */

#include <stdbool.h>
#include <stddef.h>

#include "explore/explorer.h"

/* What the process tells its caller. The numbers are a contract. */
enum exit_status {
    EXIT_STATUS_SAFE = 0,
    EXIT_STATUS_BUG = 1,
    EXIT_STATUS_USAGE = 2,
    EXIT_STATUS_INCOMPLETE = 3,
    EXIT_STATUS_ENVIRONMENT = 4,
};

/* A subcommand; argv[0] is its name. Returns the exit status. */
struct subcommand {
    const char *name;
    const char *arguments; /* for --help */
    const char *summary;
    int (*run)(int argc, char **argv);
};

extern const struct subcommand subcommand_check, subcommand_cc, subcommand_cxx, subcommand_litmus,
    subcommand_replay, subcommand_show;

/* What the options of a search say. */
struct settings {
    struct explorer_options search;
    bool reduction_given;
    bool keep_going;
    bool exit_is_bug;    /* exit with a status other than 0 */
    uint32_t nondet_max; /* nondeterministic numbers are 0 to this */
    const char *json;    /* file name, "-" for standard output, or NULL */
    bool help;
};

/* One option: --name, or --name ARGUMENT. */
struct option_row {
    const char *name;
    const char *argument; /* NULL: takes none */
    const char *help;
    /* Takes the value; returns NULL, or what would have been right ("sc, tso or pso"). */
    const char *(*set)(struct settings *settings, const char *value);
};

/* Those that every search has, ending with a row without a name. */
extern const struct option_row search_options[];

/* Which options there are, and what becomes of words like -O1. */
enum options_mode {
    OPTIONS_PLAIN,        /* those of a search; -O1 is an error */
    OPTIONS_FOR_COMPILER, /* those of a search; -O1 is kept among the arguments */
    OPTIONS_OWN,          /* none of a search but --help; -O1 is an error */
};

/* Reads options from argv[1] on, in any order with other arguments, which are moved to the front of argv[1 …];
 * *count says how many there are. `own` are more options, or NULL. False, after one line on stderr, if
 * something is wrong. After "--" nothing is an option. */
bool options_read(int argc, char **argv, const struct option_row *own, enum options_mode mode,
                  struct settings *settings, int *count);

/* The subcommand's page for --help. */
void options_help(const struct subcommand *subcommand, const char *about,
                  const struct option_row *own);

/* What a search left out, one phrase a bit of enum cut_reason; NULL for other numbers. */
const char *cut_reason_text(enum cut_reason reason);

/* All reasons in `cut`, in one line, in `buffer`. */
const char *cut_reasons_text(uint32_t cut, char *buffer, size_t size);

/* The whole file, with a 0 behind it; the caller frees it. NULL, after one line on stderr, if it cannot be
 * read. */
char *input_read(const char *file, size_t *length);

/* Seconds on a clock that only goes forward. */
double seconds_now(void);

#endif
