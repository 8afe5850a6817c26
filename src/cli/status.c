#include "cli/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/size.h"

#define WIDTH_USUAL 80

/* A longer line would go on in the next one, and could not be overwritten. */
static int width(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                           : WIDTH_USUAL;
}

static void sampled_write(const struct session *session, double seconds, FILE *out)
{
    const struct sample_stats *sampled = &session->explorer.stats.sampled;

    fprintf(out,
            "%.0f s, %" PRIu64 " runs, %.0f a second, %" PRIu64
            " traces, %.2g %% of runs show a new one, %u bugs",
            seconds, sampled->runs, (double)sampled->runs / seconds, sampled->traces,
            100 * sample_unseen(sampled), session->bugs.count);
}

static void explored_write(const struct session *session, const struct settings *settings,
                           double seconds, FILE *out)
{
    const struct explorer_stats *stats = &session->explorer.stats;
    struct result_estimate estimate;
    char text[100];

    fprintf(out, "%.0f s, %" PRIu64 " executions, %.0f a second, depth %u, %u bugs", seconds,
            stats->executions, seconds > 0 ? (double)stats->executions / seconds : 0,
            session->explorer.execution.events.count, session->bugs.count);
    if (stats->sampled.runs)
        fprintf(out, ", %" PRIu64 " sampled, bound %" PRIu32, stats->sampled.runs, stats->bounds);
    if (size_guess(settings, stats, seconds, &estimate))
        fprintf(out, ", %s", size_brief(&estimate, text, sizeof text));
    if (stats->states.states)
        fprintf(out, ", %" PRIu64 " states, %" PRIu64 " revisits", stats->states.states,
                stats->states.revisited);
}

void status_line(const struct session *session, const struct settings *settings, double seconds)
{
    char line[400] = "";
    FILE *out;

    if (!isatty(STDERR_FILENO) || !(out = fmemopen(line, sizeof line, "w")))
        return;
    if (search_samples(settings->search.search))
        sampled_write(session, seconds, out);
    else
        explored_write(session, settings, seconds, out);
    fclose(out);
    fprintf(stderr, "\r%.*s\033[K", width() - 1, line);
    fflush(stderr);
}

void status_clear(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}
