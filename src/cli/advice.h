#ifndef RADDLE_CLI_ADVICE_H
#define RADDLE_CLI_ADVICE_H

#include "cli/report.h"

/* After a search that was too large: what made it so, and what to try next. After one that says `safe` without a single complete run: that this means little. */
void advise(const struct report *report, FILE *out);

#endif
