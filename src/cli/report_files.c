#include "cli/report_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

#ifndef RADDLE_VERSION
#define RADDLE_VERSION "unknown"
#endif

#define REPORT(name, summary)                                                                      \
    const char *report_set_##name(struct settings *settings, const char *value)                    \
    {                                                                                              \
        if (!*value)                                                                               \
            return "a file name, or - for standard output";                                        \
        settings->reports[REPORT_##name] = value;                                                  \
        return NULL;                                                                               \
    }
#define REPORT_TRACE REPORT
#include "trace/reports.def"
#undef REPORT
#undef REPORT_TRACE

bool report_files_wanted(const struct settings *settings)
{
    for (int i = 0; i < REPORT_COUNT; i++)
        if (settings->reports[i])
            return true;
    return false;
}

const char *report_set_tree(struct settings *settings, const char *value)
{
    if (!*value)
        return "a file name, or - for standard output";
    settings->tree = value;
    return NULL;
}

const char *report_set_source_root(struct settings *settings, const char *value)
{
    static char root[PATH_MAX]; /* one for the process, as its options */
    struct stat status;

    if (!realpath(value, root) || stat(root, &status) != 0 || !S_ISDIR(status.st_mode))
        return "a directory that is there";
    if (strcmp(root, "/") == 0)
        return "a directory below /";
    settings->source_root = root;
    return NULL;
}

/* The name of option number `i`, and its file or NULL; the tree comes behind all formats. */
static const char *file_of(const struct settings *settings, int i, const char **name)
{
    *name = i < REPORT_COUNT ? reports[i]->name : "tree";
    return i < REPORT_COUNT ? settings->reports[i] : settings->tree;
}

bool report_files_settle(const struct settings *settings)
{
    const char *first, *second;

    if (settings->source_root && !settings->reports[REPORT_sarif]) {
        fprintf(stderr, "raddle: --source-root goes with --sarif\n");
        return false;
    }
    for (int i = 0; i <= REPORT_COUNT; i++)
        for (int k = 0; k < i; k++) {
            const char *a = file_of(settings, k, &first), *b = file_of(settings, i, &second);

            if (!a || !b || strcmp(a, b) != 0)
                continue;
            fprintf(stderr, "raddle: --%s and --%s cannot both write to %s\n", first, second,
                    strcmp(a, "-") == 0 ? "standard output" : a);
            return false;
        }
    return true;
}

bool report_files_take_stdout(const struct settings *settings)
{
    const char *name, *file;

    for (int i = 0; i <= REPORT_COUNT; i++)
        if ((file = file_of(settings, i, &name)) && strcmp(file, "-") == 0)
            return true;
    return false;
}

void report_file_discard(const char *file)
{
    struct stat status;

    if (stat(file, &status) == 0 && S_ISREG(status.st_mode))
        unlink(file);
}

/* Writes the report number `i`; exactly one of `trace` and `result` is there. */
static bool file_write(const struct settings *settings, int i, const struct trace *trace,
                       const struct result *result)
{
    const struct report_options options = {RADDLE_VERSION, settings->source_root};
    const struct report_ops *ops = reports[i];
    const char *file = settings->reports[i];
    bool to_stdout = strcmp(file, "-") == 0;
    FILE *out = to_stdout ? stdout : fopen(file, "w");
    int problem;
    bool ok;

    ok = out &&
         (trace ? ops->write_trace(trace, &options, out)
                : ops->write_result(result, &options, out)) &&
         fflush(out) == 0 && !ferror(out);
    problem = errno;
    if (out && !to_stdout && fclose(out) != 0 && ok) {
        ok = false;
        problem = errno;
    }
    if (ok)
        return true;
    fprintf(stderr, "raddle: %s: cannot be written: %s\n", to_stdout ? "standard output" : file,
            strerror(problem ? problem : EIO));
    if (out && !to_stdout)
        report_file_discard(file);
    return false;
}

bool report_files_trace(const struct settings *settings, const struct trace *trace)
{
    bool ok = true;

    for (int i = 0; i < REPORT_COUNT; i++)
        if (settings->reports[i] && reports[i]->write_trace)
            ok &= file_write(settings, i, trace, NULL);
    return ok;
}

/* ---- results */

/* The run of a bug, or NULL if its file cannot be read any more: then the report tells less. */
static struct trace *run_read(const char *file)
{
    struct trace *trace = malloc(sizeof *trace);
    struct trace_error error;
    size_t length;
    char *text = input_read(file, &length);

    CHECK(trace, "out of memory");
    if (text && trace_read(text, length, trace, &error)) {
        free(text);
        return trace;
    }
    free(text);
    free(trace);
    return NULL;
}

static void runs_read(result_bug_vec *bugs)
{
    for (uint32_t i = 0; i < bugs->count; i++)
        if (bugs->at[i].trace)
            bugs->at[i].run = run_read(bugs->at[i].trace);
}

static void runs_free(result_bug_vec *bugs)
{
    for (uint32_t i = 0; i < bugs->count; i++) {
        struct trace *run = (struct trace *)bugs->at[i].run;

        if (run)
            trace_free(run);
        free(run);
        bugs->at[i].run = NULL;
    }
}

bool report_files_result(const struct settings *settings, struct result *result)
{
    bool ok = true;

    runs_read(&result->bugs);
    runs_read(&result->warnings);
    for (int i = 0; i < REPORT_COUNT; i++)
        if (settings->reports[i] && reports[i]->write_result)
            ok &= file_write(settings, i, NULL, result);
    runs_free(&result->bugs);
    runs_free(&result->warnings);
    return ok;
}
