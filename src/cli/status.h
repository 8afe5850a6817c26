#ifndef RADDLE_CLI_STATUS_H
#define RADDLE_CLI_STATUS_H

#include "cli/cli.h"
#include "explore/session.h"

/* How far a search is after so many seconds: one line that is overwritten, only on a terminal. */
void status_line(const struct session *session, const struct settings *settings, double seconds);

/* Takes it away. */
void status_clear(void);

#endif
