#ifndef RADDLE_CLI_SAMPLES_H
#define RADDLE_CLI_SAMPLES_H

#include "cli/cli.h"

/* What a search that samples did and what that is worth, in words, in `buffer`. If it stopped at a bug, only what is needed to
 * make the same runs again. */
const char *samples_text(const struct explorer_options *options, const struct explorer_stats *stats,
                         char *buffer, size_t size);

#endif
