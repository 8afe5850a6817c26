#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lanes.h"
#include "trace/report.h"
#include "trace/utf8.h"
#include "trace/words.h"

/* JUnit XML, the common subset: one suite; a test case that passes, or one for each bug that fails. A search that did not see
 * everything is an error, not a failure: nothing is known to be wrong, and nothing to be right. */

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
static void put_run(FILE *out, const struct trace *run)
{
    struct lanes_style style = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    if (!stream)
        return;
    lanes_print_list(run, &style, stream);
    if (run->output.count) {
        fputs("\noutput of the program:\n", stream);
        fwrite(run->output.at, 1, run->output.count, stream);
    }
    if (fclose(stream) == 0) {
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

static void put_case_start(FILE *out, const struct result *result, const char *name, double seconds)
{
    fputs("    <testcase", out);
    put_attribute(out, "name", name);
    put_attribute(out, "classname", result->subject);
    fprintf(out, " time=\"%.3f\"", seconds);
}

/* The time of the check is that of its first case, so that the sum is right. */
static void put_bug(FILE *out, const struct result *result, uint32_t index)
{
    const struct result_bug *bug = &result->bugs.at[index];
    char name[WORDS_MAX];

    snprintf(name, sizeof name, "%s: %s", bug->kind, bug->message);
    put_case_start(out, result, name, index ? 0 : result->seconds);
    fputs(">\n      <failure", out);
    put_attribute(out, "message", bug->message);
    put_attribute(out, "type", bug->kind);
    fputc('>', out);
    put_bug_text(out, bug);
    fputs("</failure>\n", out);
    if (bug->run)
        put_run(out, bug->run);
    fputs("    </testcase>\n", out);
}

/* No bug: it passes, unless something was left out. */
static void put_verdict(FILE *out, const struct result *result)
{
    put_case_start(out, result, "no interleaving fails", result->seconds);
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

static bool write_result(const struct result *result, FILE *out)
{
    uint32_t failures = result->bugs.count, tests = failures ? failures : 1;
    uint32_t errors = failures == 0 && result->reasons.count;
    char counts[160];

    snprintf(counts, sizeof counts,
             " tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"%" PRIu32 "\" time=\"%.3f\"",
             tests, failures, errors, result->seconds);
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"raddle\"%s>\n",
            counts);
    fputs("  <testsuite", out);
    put_attribute(out, "name", result->subject);
    fprintf(out, "%s skipped=\"0\">\n", counts);
    put_properties(out, result);
    for (uint32_t i = 0; i < failures; i++)
        put_bug(out, result, i);
    if (!failures)
        put_verdict(out, result);
    fputs("  </testsuite>\n</testsuites>\n", out);
    return !ferror(out);
}

static bool write_trace(const struct trace *trace, FILE *out)
{
    struct result_bug bug;
    struct result result;

    result_of_trace(trace, &result, &bug);
    return write_result(&result, out);
}

const struct report_ops report_junit = {"junit", write_trace, write_result};
