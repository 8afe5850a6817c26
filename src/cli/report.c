#include "cli/report.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/advice.h"
#include "cli/report_files.h"
#include "cli/samples.h"
#include "cli/size.h"

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

/* How far a bound has grown: what it is worth that nothing else was found. */
static void bounds_report(struct report *report, const struct explorer_stats *stats)
{
    char text[200];
    size_t used = 0;

    bool turns = report->settings->search.search == &search_auto;

    if (turns ? !(stats->cut & CUT_SAMPLED) || stats->bounds + stats->bounds_progress == 0
              : !report->settings->search.bound_grows || !stats->cut)
        return;
    if (stats->bounds > 0)
        used = (size_t)snprintf(text, sizeof text,
                                "all runs with at most %" PRIu32 " preemption%s were made%s, and ",
                                stats->bounds - 1, stats->bounds == 2 ? "" : "s",
                                stats->cut & CUT_MAX_STEPS ? " or given up" : "");
    if (stats->cut & CUT_STOPPED)
        used += (size_t)snprintf(text + used, sizeof text - used, "some");
    else
        used += (size_t)snprintf(text + used, sizeof text - used, "about %.0f %%",
                                 100 * (turns ? stats->bounds_progress : stats->progress));
    if (stats->bounds > 0)
        snprintf(text + used, sizeof text - used, " of those with %" PRIu32, stats->bounds);
    else
        snprintf(text + used, sizeof text - used, " of the runs without a preemption");
    vec_push(report->arena, &report->reasons, report_text(report, text));
}

void report_set_stats(struct report *report, const struct explorer_stats *stats, double seconds)
{
    /* stopping at the first bug is what was asked for, no reason to call the verdict incomplete */
    uint32_t cut = stats->cut & ~(uint32_t)CUT_STOPPED;
    char text[600];

    if (report->settings->search.bound_grows)
        cut &= ~(uint32_t)CUT_PREEMPTION_BOUND; /* bounds_report tells more */
    report->stats = *stats;
    report->seconds = seconds;
    for (uint32_t bit = 1; bit && bit <= cut; bit <<= 1)
        if (cut & bit)
            vec_push(report->arena, &report->reasons,
                     bit == CUT_SAMPLED
                         ? report_text(report, samples_text(&report->settings->search, stats, text,
                                                            sizeof text))
                         : cut_reason_text(bit));
    bounds_report(report, stats);
}

/* Places that are told, if each has at least that share of all reversals, in percent. */
#define PLACES_TOLD 3
#define SHARE_TOLD  5

void report_set_contended(struct report *report, const struct contended *contended)
{
    const struct contended_place *top[PLACES_TOLD];
    uint32_t count = contended_top(contended, top, PLACES_TOLD);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t share = (uint32_t)(100 * top[i]->reversals / contended->reversals);

        if (share >= SHARE_TOLD)
            vec_push(report->arena, &report->contended,
                     ((struct report_place){report_text(report, top[i]->name), share}));
    }
}

FILE *report_stream(const struct settings *settings)
{
    return report_files_take_stdout(settings) ? stderr : stdout;
}

static const char *report_verdict(const struct report *report)
{
    if (report->bugs.count)
        return "bug";
    return report->reasons.count ? "incomplete" : "safe";
}

static bool is_sampled(const struct report *report)
{
    return search_samples(report->settings->search.search);
}

static void sampled_make(const struct report *report, struct result_sampled *sampled)
{
    const struct explorer_options *options = &report->settings->search;
    const struct sample_stats *stats = &report->stats.sampled;

    *sampled = (struct result_sampled){
        .runs = stats->runs,
        .seed = options->seed ? options->seed : SEARCH_SEED,
        .depth =
            options->search == &search_pct || options->search == &search_auto ? options->depth : 0,
        .given_up = stats->given_up,
        .traces = stats->traces,
        .traces_once = stats->once,
        .traces_least = sample_traces_least(stats),
        .unseen = sample_unseen(stats),
        .agents = stats->agents,
        .steps = stats->steps,
        .promise = sample_promise(stats, options->depth),
    };
}

static void bugs_make(const struct report *report, const report_bug_vec *from, result_bug_vec *to)
{
    for (uint32_t i = 0; i < from->count; i++) {
        const struct report_bug *bug = &from->at[i];

        vec_push(report->arena, to,
                 (struct result_bug){.kind = bug_kind_names[bug->kind],
                                     .message = bug->message,
                                     .file = bug->file,
                                     .line = bug->line,
                                     .thread = bug->thread,
                                     .trace = bug->trace});
    }
}

/* The one that was used. */
static const char *reduction_name(const struct explorer_options *options)
{
    bool compares = options->states == STATES_EXACT || options->states == STATES_DELTA;

    return (compares ? options->reduction->with_states : options->reduction)->name;
}

/* As the formats take it; its vectors are in the report's arena. */
static void result_make(const struct report *report, struct result *result)
{
    const struct explorer_stats *stats = &report->stats;
    struct rusage self, child;

    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &child);
    *result = (struct result){
        .subject = report->subject,
        .verdict = report_verdict(report),
        .model = report->settings->search.memory->name,
        .search = report->settings->search.search->name,
        .reduction = is_sampled(report) ? "none" : reduction_name(&report->settings->search),
        .executions = stats->executions,
        .blocked = stats->asleep + stats->states.revisited + stats->assumes,
        .states = stats->states.states,
        .revisited = stats->states.revisited,
        .state_bytes = stats->states.bytes,
        .untold = stats->states.untold,
        .symmetric = {stats->symmetry.checks, stats->symmetry.found, stats->symmetry.saved},
        .snapshots = {report->snapshots.way, report->snapshots.made, report->snapshots.used,
                      report->snapshots.lost, report->snapshots.refused},
        .transitions = stats->transitions,
        .threads = report->threads,
        .suppressed = report->suppressed,
        .peak_rss_bytes =
            (uint64_t)(self.ru_maxrss > child.ru_maxrss ? self.ru_maxrss : child.ru_maxrss) * 1024,
        .seconds = report->seconds,
        .checkpoint = report->checkpoint,
    };
    size_guess(report->settings, stats, report->seconds, &result->estimate);
    if (stats->sampled.runs)
        sampled_make(report, &result->sampled);
    for (uint32_t i = 0; i < report->reasons.count; i++)
        vec_push(report->arena, &result->reasons, report->reasons.at[i]);
    bugs_make(report, &report->bugs, &result->bugs);
    bugs_make(report, &report->warnings, &result->warnings);
    for (uint32_t i = 0; i < report->unseen.count; i++) {
        const struct report_unseen *unseen = &report->unseen.at[i];

        vec_push(report->arena, &result->unseen,
                 (struct result_unseen){.function = unseen->function,
                                        .library = unseen->library,
                                        .file = unseen->file,
                                        .line = unseen->line,
                                        .effect = unseen->effect});
    }
}

static bool files_write(const struct report *report)
{
    struct result result;

    if (!report_files_wanted(report->settings))
        return true;
    result_make(report, &result);
    return report_files_result(report->settings, &result);
}

/* What a search that compares states has to add. */
static void states_notes(const struct report *report, FILE *out)
{
    const struct states_stats *states = &report->stats.states;

    if (states->untold)
        fprintf(out,
                "note: %" PRIu64 " states could not be compared with others: raddle cannot tell "
                "all that belongs to %s\n",
                states->untold, report->untold ? report->untold : "them");
    if (states->full)
        fputs("note: the table of states was full (--max-memory): later states were not kept\n",
              out);
    if (states->cycles && report->stats.executions == 0 && report->bugs.count == 0 &&
        report->reasons.count == 0)
        fputs("note: no run comes to an end: the program goes round for ever, in the states that "
              "were explored\n",
              out);
}

/* How much there would have been to do. */
static void size_note(const struct report *report, FILE *out)
{
    struct result_estimate estimate;
    char text[200];

    if (report->reasons.count && !report->bugs.count &&
        size_guess(report->settings, &report->stats, report->seconds, &estimate))
        fprintf(out, "note: the whole search has %s\n", size_text(&estimate, text, sizeof text));
}

int report_finish(const struct report *report)
{
    const struct explorer_stats *stats = &report->stats;
    const struct explorer_options *options = &report->settings->search;
    uint64_t given_up = stats->asleep + stats->assumes + stats->sampled.given_up;
    FILE *out = report_stream(report->settings);

    states_notes(report, out);
    size_note(report, out);
    advise(report, out);
    fprintf(out, "%s: %s", report->subject, report_verdict(report));
    for (uint32_t i = 0; i < report->reasons.count; i++)
        fprintf(out, "%s%s%s", i ? "; " : " (", report->reasons.at[i],
                i + 1 == report->reasons.count ? ")" : "");
    fprintf(out, ": %" PRIu64 " executions", stats->executions);
    if (given_up)
        fprintf(out, ", %" PRIu64 " given up", given_up);
    if (stats->assumes)
        fprintf(out, " (%" PRIu64 " for a failed assumption)", stats->assumes);
    if (options->states != STATES_OFF && options->states != STATES_SUMMARIES)
        fprintf(out, ", %" PRIu64 " ended at a known state (of %" PRIu64 ")",
                stats->states.revisited, stats->states.states);
    if (options->symmetry)
        fprintf(out, ", %" PRIu64 " left out by symmetry", stats->symmetry.saved);
    if (report->suppressed)
        fprintf(out, ", %" PRIu64 " race%s suppressed", report->suppressed,
                report->suppressed > 1 ? "s" : "");
    fprintf(out, ", %" PRIu64 " transitions, model %s, %s %s, %.2f s\n", stats->transitions,
            options->memory->name, is_sampled(report) ? "search" : "reduction",
            is_sampled(report) ? options->search->name : reduction_name(options), report->seconds);
    if (!files_write(report))
        return EXIT_STATUS_ENVIRONMENT;
    if (report->bugs.count)
        return EXIT_STATUS_BUG;
    return report->reasons.count ? EXIT_STATUS_INCOMPLETE : EXIT_STATUS_SAFE;
}
