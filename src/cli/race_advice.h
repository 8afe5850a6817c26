#ifndef RADDLE_CLI_RACE_ADVICE_H
#define RADDLE_CLI_RACE_ADVICE_H

#include "cli/report.h"

/* Why a program is not safe in which data races were let pass, in `buffer`; NULL if none were. */
const char *race_warnings_reason(const struct report *report, char *buffer, size_t size);

/* Says what to do about data races, if there were any. */
void race_advise(const struct report *report);

#endif
