#ifndef RADDLE_CLI_SIZE_H
#define RADDLE_CLI_SIZE_H

#include "cli/cli.h"
#include "trace/report.h"

/* How large the search is, for people. False, and nothing is known: the search samples, grows a bound, or was shared by several processes; or it is over. */
bool size_guess(const struct settings *settings, const struct explorer_stats *stats, double seconds,
                struct result_estimate *estimate);

/* "about 10^9 executions, give or take a factor of 30: 2 days more at this rate". Returns `text`. */
const char *size_text(const struct result_estimate *estimate, char *text, size_t size);

/* In short, for the status line: "of about 17000, 2 minutes left". */
const char *size_brief(const struct result_estimate *estimate, char *text, size_t size);

#endif
