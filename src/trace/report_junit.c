#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lanes.h"
#include "trace/report.h"
#include "trace/utf8.h"
#include "trace/words.h"

/* JUnit XML, the common subset: one suite with one test case, whose name is the same whatever is found, so that its history can be
 * followed. It fails if there is a bug. A search that found no bug but did not see everything is an error, not a failure. */

#define CASE_NAME "no interleaving fails"

/* Text between tags, or the value of an attribute. */
static void put_bytes(FILE *out, const char *bytes, size_t length, bool attribute)
{
    char *clean = utf8_repair(bytes, &length, false);

    for (size_t i = 0; clean && i < length; i++) {
        if (clean[i] == '&')
            fputs("&amp;", out);
        else if (clean[i] == '<')
            fputs("&lt;", out);
        else if (clean[i] == '>')
            fputs("&gt;", out);
        else if (clean[i] == '"')
            fputs("&quot;", out);
        else if (attribute && (clean[i] == '\n' || clean[i] == '\t'))
            fprintf(out, "&#%d;", clean[i]);
        else
            fputc(clean[i], out);
    }
    free(clean);
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    put_bytes(out, value, strlen(value), true);
    fputc('"', out);
}

static void put_text(FILE *out, const char *text)
{
    put_bytes(out, text, strlen(text), false);
}

static void put_property(FILE *out, const char *name, const char *value)
{
    if (!value)
        return;
    fputs("      <property", out);
    put_attribute(out, "name", name);
    put_attribute(out, "value", value);
    fputs("/>\n", out);
}

static void put_number(FILE *out, const char *name, uint64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, number);
    put_property(out, name, text);
}

static void put_properties(FILE *out, const struct result *result)
{
    fputs("    <properties>\n", out);
    put_property(out, "verdict", result->verdict);
    put_property(out, "model", result->model);
    put_property(out, "search", result->search);
    put_property(out, "reduction", result->reduction);
    if (result->reduction) {
        put_number(out, "executions", result->executions);
        put_number(out, "blocked", result->blocked);
        put_number(out, "transitions", result->transitions);
        put_number(out, "threads", result->threads);
    }
    for (uint32_t i = 0; i < result->reasons.count; i++)
        put_property(out, "incomplete", result->reasons.at[i]);
    fputs("    </properties>\n", out);
}

/* The run in words, one step a line, and what the program wrote. */
static void put_run(FILE *out, const struct result_bug *bug)
{
    struct lanes_style style = {0};

    fprintf(out, "%s: %s\n", bug->kind, bug->message);
    lanes_print_list(bug->run, &style, out);
    if (bug->run->output.count) {
        fputs("\noutput of the program:\n", out);
        fwrite(bug->run->output.at, 1, bug->run->output.count, out);
    }
    fputc('\n', out);
}

static void put_runs(FILE *out, const struct result *result)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    if (!stream)
        return;
    for (uint32_t i = 0; i < result->bugs.count; i++)
        if (result->bugs.at[i].run)
            put_run(stream, &result->bugs.at[i]);
    if (fclose(stream) == 0 && length) {
        fputs("      <system-out>", out);
        put_bytes(out, text, length, false);
        fputs("</system-out>\n", out);
    }
    free(text);
}

static void put_bug_text(FILE *out, const struct result_bug *bug)
{
    char line[32];

    if (bug->file) {
        put_text(out, bug->file);
        snprintf(line, sizeof line, ":%" PRIu32 ": ", bug->line);
        fputs(line, out);
    }
    put_text(out, bug->message);
    fputc('\n', out);
    for (uint32_t i = 0; bug->run && i < bug->run->bug.details.count; i++) {
        put_text(out, bug->run->bug.details.at[i]);
        fputc('\n', out);
    }
    if (bug->trace) {
        fputs("the run is in ", out);
        put_text(out, bug->trace);
        fputc('\n', out);
    }
}

static void put_case_start(FILE *out, const struct result *result)
{
    fputs("    <testcase", out);
    put_attribute(out, "name", CASE_NAME);
    put_attribute(out, "classname", result->subject);
    fprintf(out, " time=\"%.3f\"", result->seconds);
}

/* The first bug is what the case fails with; the text has all of them. */
static void put_bugs(FILE *out, const struct result *result)
{
    const struct result_bug *first = &result->bugs.at[0];
    char more[WORDS_MAX];

    snprintf(more, sizeof more, "%s (and %" PRIu32 " more)", first->message,
             result->bugs.count - 1);
    put_case_start(out, result);
    fputs(">\n      <failure", out);
    put_attribute(out, "message", result->bugs.count > 1 ? more : first->message);
    put_attribute(out, "type", first->kind);
    fputc('>', out);
    for (uint32_t i = 0; i < result->bugs.count; i++)
        put_bug_text(out, &result->bugs.at[i]);
    fputs("</failure>\n", out);
    put_runs(out, result);
    fputs("    </testcase>\n", out);
}

/* No bug: it passes, unless something was left out. */
static void put_verdict(FILE *out, const struct result *result)
{
    put_case_start(out, result);
    if (!result->reasons.count) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n      <error", out);
    put_attribute(out, "message", result->reasons.at[0]);
    put_attribute(out, "type", "incomplete");
    fputc('>', out);
    for (uint32_t i = 0; i < result->reasons.count; i++) {
        put_text(out, result->reasons.at[i]);
        fputc('\n', out);
    }
    fputs("</error>\n    </testcase>\n", out);
}

static bool write_result(const struct result *result, const struct report_options *options,
                         FILE *out)
{
    unsigned failures = result->bugs.count > 0, errors = !failures && result->reasons.count;
    char counts[160];

    (void)options;
    snprintf(counts, sizeof counts, " tests=\"1\" failures=\"%u\" errors=\"%u\" time=\"%.3f\"",
             failures, errors, result->seconds);
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"raddle\"%s>\n",
            counts);
    fputs("  <testsuite", out);
    put_attribute(out, "name", result->subject);
    fprintf(out, "%s skipped=\"0\">\n", counts);
    put_properties(out, result);
    if (failures)
        put_bugs(out, result);
    else
        put_verdict(out, result);
    fputs("  </testsuite>\n</testsuites>\n", out);
    return !ferror(out);
}

static bool write_trace(const struct trace *trace, const struct report_options *options, FILE *out)
{
    struct result_bug bug;
    struct result result;

    result_of_trace(trace, &result, &bug);
    return write_result(&result, options, out);
}

const struct report_ops report_junit = {"junit", write_trace, write_result};
