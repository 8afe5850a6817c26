#ifndef RADDLE_CLI_REPORT_FILES_H
#define RADDLE_CLI_REPORT_FILES_H

#include "cli/cli.h"

/* The files for other programs that the user asks for: --json FILE and its like. */

#define REPORT(name, summary)                                                                      \
    const char *report_set_##name(struct settings *settings, const char *value);
#define REPORT_TRACE REPORT
#include "trace/reports.def"
#undef REPORT
#undef REPORT_TRACE

/* The same for --tree. */
const char *report_set_tree(struct settings *settings, const char *value);

/* The directory from which SARIF names files. */
const char *report_set_source_root(struct settings *settings, const char *value);

/* False, after one line on stderr, if there is a source root for nothing, or if two of them want standard output, or the same file. */
bool report_files_settle(const struct settings *settings);

bool report_files_wanted(const struct settings *settings);

/* Write all that are wanted. False, after a line on stderr for each, if some could not be written; one that was begun is
 * not left behind. The trace files of a result are read for the formats that tell runs. */
bool report_files_trace(const struct settings *settings, const struct trace *trace);
bool report_files_result(const struct settings *settings, struct result *result);

/* Whether one of them goes to standard output, so that nothing else may. */
bool report_files_take_stdout(const struct settings *settings);

/* Removes a file that could not be written to its end; not, say, /dev/full. */
void report_file_discard(const char *file);

#endif
