#include "cli/jobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "cli/interrupt.h"
#include "cli/mpi.h"
#include "cluster/local.h"

/* Workers have so long to tell what is left, and then the last thing that they told has to do. In seconds. */
#define REST_SECONDS 1.0

/* Time for a checkpoint, of the time from one to the next. */
#define KEEP_SHARE 200

/* Between two looks at a limit. In seconds. */
#define PAUSE_MIN 0.001

struct jobs_state {
    struct jobs *jobs;
    double start;
    struct transport *transport;
    uint64_t before; /* executions that were made in an earlier search */
    uint64_t looked; /* executions at the last look at their limit */
    double looked_at;
    double fastest; /* executions a second between two looks */
    uint32_t cut;   /* by a limit that all have together */
    double asked;   /* when workers were asked what is left; 0: not */
    double rests;   /* until then, no checkpoint */
};

/* One line for all of them. */
static void jobs_status(const struct jobs_state *state, const struct coordinator *coordinator,
                        const struct explorer_stats *stats)
{
    double seconds = seconds_now() - state->start;
    uint32_t busy = 0;

    for (uint32_t i = 0; i < coordinator->workers.count; i++)
        busy += coordinator->workers.at[i].twig != NULL;
    fprintf(stderr,
            "\r%" PRIu64 " executions, %.0f a second, %" PRIu32 " of %" PRIu32
            " workers busy, %" PRIu32 " parts wait, depth %" PRIu64 "\033[K",
            stats->executions, seconds > 0 ? (double)stats->executions / seconds : 0, busy,
            coordinator->workers.count, coordinator->twigs.leaf_count, stats->max_depth);
    fflush(stderr);
}

/* ---- what is left, in a file */

static void jobs_keep(struct jobs_state *state, const struct coordinator *coordinator)
{
    double since = seconds_now();

    state->jobs->keep(state->jobs->context, coordinator);
    state->rests = seconds_now() + KEEP_SHARE * (seconds_now() - since);
    state->asked = 0;
}

static void keep_look(struct jobs_state *state, struct coordinator *coordinator)
{
    double now = seconds_now();

    if (!state->asked && now >= state->rests && state->jobs->keep_is_due(state->jobs->context)) {
        coordinator_ask_rest(coordinator);
        state->asked = now;
    } else if (state->asked &&
               (coordinator_has_rest(coordinator) || now > state->asked + REST_SECONDS)) {
        jobs_keep(state, coordinator);
    }
}

/* Those of all, with the limits that they have together. */
static struct explorer_stats stats_of(const struct jobs_state *state,
                                      const struct coordinator *coordinator)
{
    struct explorer_stats stats = coordinator_stats(coordinator);

    if (!coordinator_is_done(coordinator))
        stats.cut |= state->cut;
    if (coordinator->stopped && !stats.cut && !coordinator_is_done(coordinator))
        stats.cut = CUT_STOPPED;
    return stats;
}

static void jobs_stopped(void *context, struct coordinator *coordinator)
{
    struct jobs_state *state = context;
    uint32_t cut = stats_of(state, coordinator).cut;

    if (cut & CUT_LIMITS && !(cut & CUT_STOPPED))
        jobs_keep(state, coordinator);
}

/* ---- while they search */

/* When to look at a limit of executions again: half way there, as fast as they have been at best. */
static double limit_pause(struct jobs_state *state, const struct explorer_stats *stats,
                          double pause)
{
    uint64_t limit = state->jobs->settings->search.max_executions;
    uint64_t counted = stats->executions - state->before;
    double now = seconds_now(), fastest;

    if (limit == NO_LIMIT || counted >= limit)
        return pause;
    fastest = (double)(stats->executions - state->looked) / (now - state->looked_at + 1e-6);
    state->looked = stats->executions;
    state->looked_at = now;
    if (fastest > state->fastest)
        state->fastest = fastest;
    /* when nothing has come yet, more often at the beginning than later */
    fastest = state->fastest > 0 ? state->fastest : (double)limit / (now - state->start + 1e-6);
    if (pause * 2 * fastest > (double)(limit - counted))
        pause = (double)(limit - counted) / fastest / 2;
    return pause > PAUSE_MIN ? pause : PAUSE_MIN;
}

static bool jobs_tick(void *context, struct coordinator *coordinator, double *pause)
{
    struct jobs_state *state = context;
    const struct explorer_options *search = &state->jobs->settings->search;
    struct explorer_stats stats = coordinator_stats(coordinator);

    if (isatty(STDERR_FILENO))
        jobs_status(state, coordinator, &stats);
    if (stats.executions - state->before >= search->max_executions)
        state->cut |= CUT_MAX_EXECUTIONS;
    *pause = limit_pause(state, &stats, *pause);
    if (search->timeout > 0 && seconds_now() > state->start + search->timeout)
        state->cut |= CUT_TIMEOUT;
    if (interrupt_asked()) {
        state->cut |= CUT_INTERRUPTED;
        state->transport->hurry = true;
    }
    if (state->jobs->keep)
        keep_look(state, coordinator);
    return !state->cut;
}

static void jobs_work(void *context, struct link *link, int mail_fd)
{
    struct jobs_state *state = context;

    interrupt_leave_to_parent();
    state->jobs->work(state->jobs->context, link, mail_fd);
}

/* ---- all of it */

static int jobs_judge(struct jobs *jobs, const struct coordinator *coordinator,
                      const struct transport_result *result)
{
    if (result->why) {
        fprintf(stderr, "raddle: %s%s%s\n", result->why, result->error ? ": " : "",
                result->error ? strerror(result->error) : "");
        return EXIT_STATUS_ENVIRONMENT;
    }
    if (result->status)
        return result->status;
    jobs->lost = result->lost;
    jobs->explored = coordinator_is_done(coordinator);
    if (coordinator->failed)
        jobs->failed = coordinator->why;
    return 0;
}

/* What was done before, if it was not all in this search. */
static bool coordinator_begins(struct jobs_state *state, struct coordinator *coordinator)
{
    struct jobs *jobs = state->jobs;

    if (jobs->begin)
        coordinator_begin(coordinator, jobs->begin);
    if (jobs->tree && !coordinator_read(coordinator, jobs->tree))
        return false;
    state->looked = coordinator->stats.executions;
    state->looked_at = seconds_now();
    state->before = jobs->resumed ? state->looked : 0;
    return true;
}

int jobs_run(struct jobs *jobs, struct arena *arena)
{
    struct jobs_state state = {.jobs = jobs, .start = seconds_now()};
    uint32_t workers = jobs->settings->jobs ? jobs->settings->jobs : 1;
    struct coordinator_options options = {.identity = jobs->identity,
                                          .reduction = jobs->settings->search.reduction,
                                          .compares =
                                              states_kind_compares(jobs->settings->search.states),
                                          .workers = workers,
                                          .bug = jobs->bug,
                                          .context = jobs->context};
    static struct coordinator coordinator; /* its reason is told when it is closed */
    struct local local;
    struct search search = {.coordinator = &coordinator,
                            .transport = &local.base,
                            .numbers = jobs->numbers,
                            .tick = jobs_tick,
                            .stopped = jobs->keep ? jobs_stopped : NULL,
                            .context = &state};
    int status;

    if (coordinator_open(&coordinator, arena, &options) != 0) {
        fprintf(stderr, "raddle: out of memory\n");
        return EXIT_STATUS_ENVIRONMENT;
    }
    if (!coordinator_begins(&state, &coordinator)) {
        fprintf(stderr, "raddle: %s: is damaged: it does not hold together\n",
                jobs->settings->resume);
        coordinator_close(&coordinator);
        return EXIT_STATUS_USAGE;
    }
    if (jobs->settings->mpi)
        search.transport = mpi_transport(jobs->settings, jobs->subject, jobs->session);
    else
        local_open(&local, workers, jobs_work, &state);
    *jobs->coordinator = &coordinator;
    state.transport = search.transport;
    search_run(&search);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    *jobs->coordinator = NULL;
    jobs->stats = stats_of(&state, &coordinator);
    status = jobs_judge(jobs, &coordinator, &search.transport->result);
    coordinator_close(&coordinator);
    return status;
}
