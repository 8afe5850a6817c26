#ifndef RADDLE_CLI_REPORT_H
#define RADDLE_CLI_REPORT_H

#include <stdio.h>

#include "cli/cli.h"

/* A bug as it is reported: the first run that shows it stands for all. */
struct report_bug {
    uint8_t kind;    /* enum bug_kind */
    uint32_t thread; /* its number in the program */
    uint32_t line;   /* 0: unknown */
    const char *file;
    const char *message;
    const char *trace; /* the .raddle file, or NULL */
};

typedef VEC(struct report_bug) report_bug_vec;

/* A function that was called and not seen. */
struct report_unseen {
    const char *function;
    const char *library; /* its file name, or NULL: in the program */
    const char *file;    /* of the first call, or NULL */
    uint32_t line;
    const char *effect; /* on the verdict: "unchecked", "alone" or "trusted" */
};

/* What `raddle check` found, whatever kind of program it was. Strings belong to the arena or outlive the report. */
/* A place in the program, and its share of all reversals in percent. */
struct report_place {
    const char *name;
    uint32_t share;
};

typedef VEC(struct report_place) report_place_vec;

struct report {
    const char *subject; /* the file or program that was checked */
    const struct settings *settings;
    struct explorer_stats stats;
    uint32_t threads;
    double seconds;
    struct arena *arena;
    report_bug_vec bugs;
    report_bug_vec warnings; /* data races that were let pass, orders of locks */
    VEC(struct report_unseen) unseen;
    const char *checkpoint;     /* the file that holds what is left of the search, or NULL */
    report_place_vec contended; /* where the search went back most often */
    const char *untold;         /* what kept states from being compared, or NULL */
    bool relaxed;               /* relaxed stores were seen */
    uint64_t suppressed;        /* data races that were found and are not reported */
    struct {
        const char *way;
        uint64_t made, used, lost;
        const char *refused;
    } snapshots;               /* as in struct result */
    VEC(const char *) reasons; /* why the search did not see everything */
};

void report_open(struct report *report, struct arena *arena, const char *subject,
                 const struct settings *settings);

/* Takes the figures of a search, and the reasons in its `cut`. */
void report_set_stats(struct report *report, const struct explorer_stats *stats, double seconds);

/* Takes the places where the search went back most often. */
void report_set_contended(struct report *report, const struct contended *contended);

/* A copy in the report's arena. */
const char *report_text(struct report *report, const char *text);

/* Where the report for people goes: not to standard output if that is taken by JSON. */
FILE *report_stream(const struct settings *settings);

/* Prints the verdict, writes the JSON file if one is wanted, and returns the exit status. */
int report_finish(const struct report *report);

#endif
