#ifndef RADDLE_TRACE_REPORT_H
#define RADDLE_TRACE_REPORT_H

/* Formats for other programs. Each is a file, report_<name>.c, and a row in reports.def; `raddle show` and `raddle
 * check` take their options and their help from there. */

#include "trace/trace.h"

/* A bug that a check found. */
struct result_bug {
    const char *kind; /* as in bug_kind_names */
    const char *message;
    const char *file; /* NULL: unknown */
    uint32_t line;    /* 0: unknown */
    uint32_t thread;
    const char *trace;       /* the .raddle file, or NULL */
    const struct trace *run; /* what is in it, or NULL */
};

typedef VEC(struct result_bug) result_bug_vec;

/* A function that the search could not see into. */
struct result_unseen {
    const char *function, *library, *file; /* the last two may be NULL */
    uint32_t line;
    const char *effect; /* on the verdict */
};

/* What a search that samples did: runs is 0 for all others. */
struct result_sampled {
    uint64_t runs, seed;
    uint32_t depth; /* pct; else 0 */
    uint64_t given_up, traces, traces_once;
    double traces_least; /* how many there are, about, at least */
    double unseen;       /* the chance that another run shows a new one */
    uint64_t agents, steps;
    double promise; /* pct: the probability to find a bug of that depth, at least; 0: unknown */
};

/* How large the whole search is, if it is not over; all 0: nobody knows. */
struct result_estimate {
    double executions;   /* in all */
    double factor;       /* as many times more, or fewer, would be no surprise */
    double seconds_left; /* at the present rate */
};

/* What a check found, or what a trace tells about one. */
struct result {
    const char *subject;           /* the file or program that was checked */
    const char *verdict;           /* "safe", "bug" or "incomplete" */
    const char *model, *reduction; /* the latter NULL if it is not known; then so are all numbers */
    VEC(const char *) reasons;     /* why the search did not see everything */
    result_bug_vec bugs;
    result_bug_vec warnings; /* data races that were let pass, orders of locks */
    VEC(struct result_unseen) unseen;
    const char *search; /* NULL if it is not known */
    struct result_sampled sampled;
    uint64_t executions, blocked, transitions, threads, peak_rss_bytes;
    uint64_t states, revisited, state_bytes, untold; /* of a search that compares states */
    struct {
        uint64_t checks, found, saved;
    } symmetric; /* of one that looks for interchangeable threads */
    struct {
        const char *way; /* how states are kept, or NULL: they are not */
        uint64_t made, used, lost;
        const char *refused; /* why a state could not be kept, or NULL */
    } snapshots;             /* of one that goes back to states by them */
    uint64_t suppressed;     /* data races that the user does not want to know of */
    double seconds;
    struct result_estimate estimate;
    const char *checkpoint; /* the file that holds what is left of the search, or NULL */
};

/* What a format may want to know beside what it tells of. */
struct report_options {
    const char *version; /* of raddle, or NULL */
    const char *
        source_root; /* absolute, without a slash behind, or NULL: names of files below it are told as seen from there */
};

struct report_ops {
    const char *name; /* what the user types: --name FILE */
    /* Each writes all of it and returns false if it could not, with errno set; NULL: not for that. Strings of any
     * bytes are fine. Errors of the stream are also the caller's to find. */
    bool (*write_trace)(const struct trace *trace, const struct report_options *options, FILE *out);
    bool (*write_result)(const struct result *result, const struct report_options *options,
                         FILE *out);
};

enum report_id {
#define REPORT(name, summary)       REPORT_##name,
#define REPORT_TRACE(name, summary) REPORT_##name,
#include "trace/reports.def"
#undef REPORT
#undef REPORT_TRACE
    REPORT_COUNT
};

/* By report_id. */
extern const struct report_ops *const reports[REPORT_COUNT];

#define REPORT(name, summary)       extern const struct report_ops report_##name;
#define REPORT_TRACE(name, summary) extern const struct report_ops report_##name;
#include "trace/reports.def"
#undef REPORT
#undef REPORT_TRACE

/* A trace as a result with one bug, for the formats that tell results; `bug` is the caller's. */
void result_of_trace(const struct trace *trace, struct result *result, struct result_bug *bug);

#endif
