#ifndef RADDLE_SCRIPT_LITMUS_REPORT_H
#define RADDLE_SCRIPT_LITMUS_REPORT_H

/* Gathers the final states of a litmus test and reports on them as herd7 does. */

#include "script/litmus.h"

struct litmus_report;

/* What the report cannot know by itself. */
struct litmus_summary {
    const char *model;
    const char *way; /* how runs were chosen: "reduction optimal" */
    uint64_t executions;
    double seconds;
    const char *incomplete; /* why the search did not see everything; NULL: it did */
};

/* An empty report; `litmus` must outlive it. Never NULL. */
struct litmus_report *litmus_report_open(const struct litmus *litmus);
void litmus_report_close(struct litmus_report *report);

/* Adds a complete execution. herd7 counts candidate executions, that is choices of reads-from and
 * coherence order, not interleavings: `signature` names that choice, and each counts once. */
void litmus_report_add(struct litmus_report *report, litmus_value_fn value, void *context,
                       uint64_t signature);

/* What was seen so far: distinct states, and signatures that satisfy the condition or do not. */
uint32_t litmus_report_states(const struct litmus_report *report);
uint64_t litmus_report_positive(const struct litmus_report *report);
uint64_t litmus_report_negative(const struct litmus_report *report);

/* Whether what the test says of its condition is true of the states seen. */
bool litmus_report_ok(const struct litmus_report *report);

/* Writes the report, ending in an empty line. `value` is asked for addresses only, so any final
 * state will do as `context`; NULL if the test has no pointers. */
void litmus_report_print(const struct litmus_report *report, const struct litmus_summary *summary,
                         litmus_value_fn value, void *context, FILE *out);

#endif
