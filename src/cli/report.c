#include "cli/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/resource.h>

void report_open(struct report *report, struct arena *arena, const char *subject,
                 const struct settings *settings)
{
    memset(report, 0, sizeof *report);
    report->arena = arena;
    report->subject = subject;
    report->settings = settings;
}

const char *report_text(struct report *report, const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(arena_alloc(report->arena, size), text, size);
}

void report_set_stats(struct report *report, const struct explorer_stats *stats, double seconds)
{
    /* stopping at the first bug is what was asked for, no reason to call the verdict incomplete */
    uint32_t cut = stats->cut & ~(uint32_t)CUT_STOPPED;

    report->stats = *stats;
    report->seconds = seconds;
    for (uint32_t bit = 1; bit && bit <= cut; bit <<= 1)
        if (cut & bit)
            vec_push(report->arena, &report->reasons, cut_reason_text(bit));
}

FILE *report_stream(const struct settings *settings)
{
    return settings->json && strcmp(settings->json, "-") == 0 ? stderr : stdout;
}

static const char *report_verdict(const struct report *report)
{
    if (report->bugs.count)
        return "bug";
    return report->reasons.count ? "incomplete" : "safe";
}

static json_t *json_text(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *json_bugs(const struct report *report)
{
    json_t *bugs = json_array();

    for (uint32_t i = 0; i < report->bugs.count; i++) {
        const struct report_bug *bug = &report->bugs.at[i];

        json_array_append_new(bugs,
                              json_pack("{s:s, s:s, s:o, s:i, s:i, s:o}", "kind",
                                        bug_kind_names[bug->kind], "message", bug->message, "file",
                                        json_text(bug->file), "line", (int)bug->line, "thread",
                                        (int)bug->thread, "trace", json_text(bug->trace)));
    }
    return bugs;
}

static json_t *json_unseen(const struct report *report)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < report->unseen.count; i++) {
        const struct report_unseen *unseen = &report->unseen.at[i];

        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:i, s:s}", "function", unseen->function, "library",
                            json_text(unseen->library), "file", json_text(unseen->file), "line",
                            (int)unseen->line, "effect", unseen->effect));
    }
    return list;
}

static json_t *json_report(const struct report *report)
{
    const struct explorer_stats *stats = &report->stats;
    json_t *reasons = json_array();
    struct rusage self, child;

    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &child);
    for (uint32_t i = 0; i < report->reasons.count; i++)
        json_array_append_new(reasons, json_string(report->reasons.at[i]));
    return json_pack(
        "{s:s, s:o, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:o, s:o}", "verdict",
        report_verdict(report), "reasons", reasons, "model", report->settings->search.memory->name,
        "reduction", report->settings->search.reduction->name, "executions",
        (json_int_t)stats->executions, "blocked", (json_int_t)(stats->asleep + stats->assumes),
        "transitions", (json_int_t)stats->transitions, "states", (json_int_t)0, "revisited",
        (json_int_t)0, "symmetric", (json_int_t)0, "threads", (json_int_t)report->threads,
        "seconds", report->seconds, "peak_rss_bytes",
        (json_int_t)(self.ru_maxrss > child.ru_maxrss ? self.ru_maxrss : child.ru_maxrss) * 1024,
        "unseen", json_unseen(report), "bugs", json_bugs(report));
}

static bool json_write(const struct report *report)
{
    const char *file = report->settings->json;
    bool to_stdout = strcmp(file, "-") == 0;
    FILE *out = to_stdout ? stdout : fopen(file, "w");
    json_t *json = json_report(report);
    bool ok = out && json && json_dumpf(json, out, JSON_INDENT(2)) == 0;

    ok = ok && fputc('\n', out) != EOF;
    if (out && !to_stdout)
        ok = fclose(out) == 0 && ok;
    json_decref(json);
    if (!ok)
        fprintf(stderr, "raddle: %s: cannot be written\n", file);
    return ok;
}

int report_finish(const struct report *report)
{
    const struct explorer_stats *stats = &report->stats;
    FILE *out = report_stream(report->settings);

    fprintf(out, "%s: %s", report->subject, report_verdict(report));
    for (uint32_t i = 0; i < report->reasons.count; i++)
        fprintf(out, "%s%s%s", i ? "; " : " (", report->reasons.at[i],
                i + 1 == report->reasons.count ? ")" : "");
    fprintf(out, ": %" PRIu64 " executions", stats->executions);
    if (stats->asleep + stats->assumes)
        fprintf(out, ", %" PRIu64 " given up", stats->asleep + stats->assumes);
    fprintf(out, ", %" PRIu64 " transitions, model %s, reduction %s, %.2f s\n", stats->transitions,
            report->settings->search.memory->name, report->settings->search.reduction->name,
            report->seconds);
    if (report->settings->json && !json_write(report))
        return EXIT_STATUS_ENVIRONMENT;
    if (report->bugs.count)
        return EXIT_STATUS_BUG;
    return report->reasons.count ? EXIT_STATUS_INCOMPLETE : EXIT_STATUS_SAFE;
}
