#ifndef RADDLE_CLI_CLI_H
#define RADDLE_CLI_CLI_H

/* Ground rules of the room `cli`: one file a subcommand; only this room talks to the user. */

#include <stdbool.h>
#include <stddef.h>

#include "explore/explorer.h"
#include "trace/report.h"

/* What the process tells its caller. The numbers are a contract. */
enum exit_status {
    EXIT_STATUS_SAFE = 0,
    EXIT_STATUS_BUG = 1,
    EXIT_STATUS_USAGE = 2,
    EXIT_STATUS_INCOMPLETE = 3,
    EXIT_STATUS_ENVIRONMENT = 4,
};

/* What words like --model and -O1 mean to a subcommand. */
enum options_mode {
    OPTIONS_PLAIN,        /* its own and those of a search; -O1 is an error */
    OPTIONS_FOR_COMPILER, /* the same; -O1 is kept among the arguments */
    OPTIONS_OWN,          /* only its own; -O1 is an error */
    OPTIONS_PASSED_ON,    /* none: every word goes to another program */
};

/* A subcommand. Its help, its manual page and its completion are made from this. */
struct subcommand {
    const char *name;
    const char *arguments;             /* "FILE.raddle" */
    const char *summary;               /* one phrase, for the list of commands */
    const char *about;                 /* a few sentences without line breaks, for its own page */
    int (*run)(int argc, char **argv); /* argv[0] is its name; returns the exit status */
    enum options_mode mode;
    const struct option_row *options; /* its own, ending with a row without a name; or NULL */
    const char *suffix; /* what the files it takes end with, without the dot; NULL: anything */
    bool hidden;        /* not in the list: for those who package raddle */
};

extern const struct subcommand subcommand_check, subcommand_cc, subcommand_cxx, subcommand_litmus,
    subcommand_replay, subcommand_show, subcommand_simulate, subcommand_help, subcommand_completion,
    subcommand_manual;

/* All of them, ending with NULL. */
extern const struct subcommand *const subcommands[];

/* NULL if there is none of that name. */
const struct subcommand *subcommand_find(const char *name);

/* Says on stderr that there is no such command, and which one is near. */
void subcommand_unknown(const char *name);

/* What the options of a search say. */
struct settings {
    struct explorer_options search;
    bool reduction_given;
    bool keep_going;
    bool exit_is_bug;        /* exit with a status other than 0 */
    bool leaks;              /* blocks that nothing points to at the end are a bug */
    uint32_t nondet_max;     /* nondeterministic numbers are 0 to this */
    double minimise_seconds; /* to spend on making a failing run short */
    double step_timeout;     /* seconds that one step may take; 0: as usual */
    const char **trust; /* patterns of functions and libraries that are not seen and need not be */
    size_t trust_count;
    const char *reports[REPORT_COUNT]; /* file names, "-" for standard output, or NULL */
    const char *trace;                 /* the file for a failing run; NULL: by the program's name */
    const char *source_root;           /* of --sarif: absolute, or NULL */
    const char *tree;                  /* the same, for the tree of a search */
    uint8_t snapshots;                 /* enum snapshots_kind */
    bool snapshots_given;              /* the user has said so: else they give way */
    bool snapshots_fork;               /* by forks, also if they could be in place */
    uint32_t snapshots_max;
    bool rounds;     /* of loops that change nothing are left out */
    bool races;      /* look for data races, instead of exploring plain accesses */
    bool races_warn; /* and go on: they are told, but are no reason to stop or to begin anew */
    bool lock_order; /* warn of locks that are taken in orders that may end in a deadlock */
    const char *suppressions; /* file name, or NULL */
    bool compares;            /* show: why two threads are not interchangeable */
    uint32_t compared[2];
    uint32_t jobs;                   /* processes that search; 0: this one does */
    bool mpi;                        /* the other ranks of an MPI job do */
    const char *checkpoint, *resume; /* file names, or NULL */
    double checkpoint_seconds;       /* from one to the next; 0: as usual */
    char *const *command; /* all words, from the name of the subcommand on, ending with NULL */
    bool help;
};

/* One option: --name, or --name ARGUMENT. */
struct option_row {
    const char *name;
    /* NULL: takes none. "A|B|C": one of these words. FILE: a file name. "=A|B|C": one of them, or none: then `set` gets NULL. */
    const char *argument;
    const char *help;
    /* Takes the value; returns NULL, or what would have been right ("sc, tso or pso"). */
    const char *(*set)(struct settings *settings, const char *value);
};

static inline bool option_needs_value(const struct option_row *row)
{
    return row->argument && row->argument[0] != '=';
}

/* Those that every search has, and those that everything has, each ending with a row without a name. */
extern const struct option_row search_options[], common_options[];

/* --backtrack, for the commands that have it. */
#define OPTION_BACKTRACK                                                                           \
    {"backtrack", "latest|all", "dpor: plan at the latest dependent state, or at all",             \
     option_backtrack}
const char *option_backtrack(struct settings *settings, const char *value);

#define OPTION_TABLES 3

/* The tables that count for a subcommand, in the order of its help; NULL for none. */
void options_tables(const struct subcommand *subcommand,
                    const struct option_row *tables[OPTION_TABLES]);

/* Reads options from argv[1] on, in any order with other arguments, which are moved to the front of argv[1 …];
 * *count says how many there are. False, after one line on stderr, if something is wrong. After "--" nothing is
 * an option. */
bool options_read(int argc, char **argv, const struct subcommand *subcommand,
                  struct settings *settings, int *count);

/* Says on stderr that the subcommand has no such option, which one is near, and how the `program` gets it, if it is known and not NULL. */
void options_unknown(const struct subcommand *subcommand, const char *word, const char *program);

/* The page for --help, and the one of raddle itself. */
void help_subcommand(const struct subcommand *subcommand);
void help_all(void);

/* Keeps in *best which candidate is nearest to `word`. Start with a zeroed one. */
struct suggestion {
    const char *nearest; /* NULL: none is near enough to be meant */
    unsigned distance;
};
void suggestion_try(struct suggestion *best, const char *word, size_t length,
                    const char *candidate);

/* What a search left out, one phrase a bit of enum cut_reason; NULL for other numbers. */
const char *cut_reason_text(enum cut_reason reason);

/* All reasons in `cut`, in one line, in `buffer`. */
const char *cut_reasons_text(uint32_t cut, char *buffer, size_t size);

/* The whole file, with a 0 behind it; the caller frees it. NULL, after one line on stderr, if it cannot be
 * read. */
char *input_read(const char *file, size_t *length);

/* Seconds on a clock that only goes forward, and stands still while we are stopped (SIGTSTP). */
double seconds_now(void);

#endif
