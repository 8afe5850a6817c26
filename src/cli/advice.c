#include "cli/advice.h"

#include <inttypes.h>
#include <unistd.h>

#include "cli/size.h"

/* Seconds that somebody may wait for a search: a day. */
#define PATIENCE 86400.0

static void places_tell(const report_place_vec *places, FILE *out)
{
    for (uint32_t i = 0; i < places->count; i++)
        fprintf(out, "%s%s (%" PRIu32 " %%)%s",
                i ? "; " : "note: it went back most often before: ", places->at[i].name,
                places->at[i].share, i + 1 == places->count ? "\n" : "");
}

/* ---- what to try next */

static bool can_take_turns(const struct report *report)
{
    const struct explorer_options *search = &report->settings->search;

    return search->search == &search_explore && search->preemption_bound == NO_BOUND &&
           search->states == STATES_OFF && search->symmetry == SYMMETRY_OFF &&
           !report->settings->jobs;
}

static bool can_bound(const struct report *report)
{
    return report->settings->search.preemption_bound == NO_BOUND &&
           report->settings->search.search == &search_explore;
}

static bool can_sample(const struct report *report)
{
    (void)report;
    return true;
}

static bool can_compare_states(const struct report *report)
{
    const struct explorer_options *search = &report->settings->search;

    return search->states == STATES_OFF && search->symmetry == SYMMETRY_OFF && can_bound(report);
}

static bool can_exchange(const struct report *report)
{
    return can_compare_states(report) && report->threads > 2;
}

/* Only where that would bring the end near. */
static bool can_share(const struct report *report)
{
    struct result_estimate estimate;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return processors > 1 &&
           size_guess(report->settings, &report->stats, report->seconds, &estimate) &&
           estimate.seconds_left / (double)processors < PATIENCE;
}

static const struct {
    bool (*applies)(const struct report *report);
    const char *option, *text;
} hints[] = {
    {can_take_turns, "--search auto", "this search, samples and few preemptions in turn"},
    {can_bound, "--preemption-bound auto", "few preemptions first: most bugs need one or two"},
    {can_sample, "--search pct", "samples runs, and says what that is worth"},
    {can_compare_states, "--stateful=exact", "if many orders lead to the same states"},
    {can_exchange, "--symmetry", "if threads do the same"},
    {can_share, "-j 0", "a process for each processor"},
};

static void hints_tell(const struct report *report, FILE *out)
{
    fputs("note: test with fewer threads or rounds, or try one of\n", out);
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (hints[i].applies(report))
            fprintf(out, "  %-24s %s\n", hints[i].option, hints[i].text);
}

static bool was_too_large(const struct report *report)
{
    return report->stats.cut & CUT_LIMITS && report->bugs.count == 0 &&
           !search_samples(report->settings->search.search);
}

/* Under sc a relaxed store is as good as any other; what the program asked for lets it be seen later. */
static bool hides_orders(const struct report *report)
{
    return report->relaxed && report->settings->search.memory == &memory_sc &&
           report->bugs.count == 0;
}

void advise(const struct report *report, FILE *out)
{
    const struct explorer_stats *stats = &report->stats;

    if (was_too_large(report)) {
        places_tell(&report->contended, out);
        hints_tell(report, out);
    }
    if (hides_orders(report))
        fprintf(
            out,
            "note: there are relaxed stores; under the model sc they take effect at once and in order, "
            "`--model pso` also tries them later and in other orders\n");
    if (stats->executions == 0 && stats->assumes && report->bugs.count == 0)
        fprintf(out, "note: no run came to its end: each failed an assumption, so nothing was "
                     "checked behind it\n");
}
