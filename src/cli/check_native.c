#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "cli/check.h"
#include "cli/checkpoint_file.h"
#include "cli/driver.h"
#include "cli/interrupt.h"
#include "cli/mpi.h"
#include "cli/native.h"
#include "cli/native_check.h"
#include "cli/native_jobs.h"
#include "cli/race_advice.h"
#include "cli/report.h"
#include "cli/status.h"
#include "cli/tree_file.h"

#define ARENA_RESERVE ((size_t)1 << 32)

/* Processes that may die before the search is given up. */
#define DEATHS_MAX 1000

/* Processes that may get stuck before the search is given up: each costs seconds. */
#define STUCK_MAX 3

/* ---- while it runs */

static double started;

/* The process takes a checkpoint every second, as long as that costs next to nothing, so that there is a late one should it have to be killed. Some
 * of them go to the file. */
#define CHECKPOINT_ASK_SECONDS 1.0
#define CHECKPOINT_SHARE       500 /* the time for one of them, of the time that there is for it */

static void checkpoint_look(struct native_check *check)
{
    struct session_checkpoint *checkpoint = &check->driver.session->checkpoint;
    uint32_t number = __atomic_load_n(&checkpoint->number, __ATOMIC_ACQUIRE);
    double now = seconds_now(), rest = CHECKPOINT_SHARE * checkpoint->cost;
    double usual = check->settings->checkpoint_seconds;

    if (number != check->checkpoint_number && checkpoint_file_is_due(&check->checkpoint)) {
        checkpoint_file_write(&check->checkpoint, &checkpoint->at[number % 2]);
        check->checkpoint_number = number;
    }
    if (!__atomic_load_n(&checkpoint->wanted, __ATOMIC_ACQUIRE) &&
        now >= check->checkpoint_asked +
                   (usual < CHECKPOINT_ASK_SECONDS ? usual : CHECKPOINT_ASK_SECONDS) &&
        now >= check->checkpoint_asked + rest) {
        check->checkpoint_asked = now;
        __atomic_store_n(&checkpoint->wanted, 1, __ATOMIC_RELEASE);
    }
}

static void check_tick(struct driver *driver)
{
    struct native_check *check = driver->context;

    if (driver->session->work_fd)
        return; /* one line is for all, and one file */
    if (check->settings->checkpoint)
        checkpoint_look(check);
    status_line(driver->session, check->settings, seconds_now() - started);
}

/* ---- what came of it */

/* One death stands for all that happen to the same thread for the same reason. */
static bool killed_before(const struct session *session, const struct session_bug *bug)
{
    for (uint32_t i = 0; i < session->bugs.count; i++)
        if (session->bugs.at[i].thread == bug->thread &&
            strcmp(session->bugs.at[i].message, bug->message) == 0)
            return true;
    return false;
}

/* The process died without a word: the search in shared memory tells what it was doing. */
static void killed_bug(struct native_check *check, const struct driver_end *end)
{
    struct session *session = check->driver.session;
    char message[200];
    struct session_bug bug = {.kind = BUG_CRASH};

    if (end->exited)
        snprintf(message, sizeof message, "the process ended by itself with status %d",
                 end->status);
    else
        snprintf(message, sizeof message, "the process was killed by signal %d (%s)", end->status,
                 strsignal(end->status));
    bug.message = report_text(&check->report, message);
    if (session->tree.max && session->tree.path.count && !session->explorer.replaying)
        tree_end(&session->tree, session->tree.path.count - 1, TREE_BUG);
    session_schedule(session, &bug);
    if (bug.schedule_count)
        bug.thread = vec_last(&session->schedules).thread;
    if (killed_before(session, &bug))
        session->schedules.count = bug.schedule_first;
    else
        vec_push(&session->arena, &session->bugs, bug);
}

/* A thread that does not even come to its first step belongs to the step of the one that made it: the search begins anew, and does not let it run. */
static bool stuck_is_left_out(struct native_check *check)
{
    struct session *session = check->driver.session;

    if (!session->in_program || !session->starting || session->running == 0 || session->work_fd)
        return false;
    vec_push(&session->arena, &session->facts,
             ((struct session_fact){session_stuck_key(session->running), 1}));
    session->begin_anew = true;
    return ++check->stuck < STUCK_MAX;
}

/* A thread that makes no step any more stays where it is; whether others go on can be explored. */
static bool stuck_goes_on(struct native_check *check, const struct driver_end *end)
{
    struct session *session = check->driver.session;

    reason_add(check, end->why);
    if (stuck_is_left_out(check))
        return true;
    return session->in_program && session->explorer.execution.events.count > 0 &&
           ++check->stuck < STUCK_MAX;
}

/* Whether another process shall take up the search of one that has died, which is a bug. In a run that has just shown something new
 * about the program it is none yet: the search begins anew, and the same run, with other steps, shows it again. */
static bool death_goes_on(struct native_check *check, const struct driver_end *end)
{
    struct session *session = check->driver.session;
    bool again = session->begin_anew && session->in_program && check->deaths < DEATHS_MAX;

    if (again && session->work_fd)
        return false; /* all have to */
    if (!again)
        killed_bug(check, end);
    check->deaths++;
    return again || (check->settings->keep_going && session->in_program &&
                     session->explorer.execution.events.count > 0 && check->deaths <= DEATHS_MAX);
}

/* Runs the program until the search is over. A process that dies is a bug; if the search shall go on, another one
 * takes it up, as long as it was the program that died and not the engine. */
static bool run_all(struct native_check *check, struct driver_end *end)
{
    struct session *session = check->driver.session;

    for (;;) {
        session->in_program = session->starting = false;
        if (!driver_run(&check->driver, check->program, check->argv, -1, check_tick, end))
            return false;
        if (end->stuck && session->phase == SESSION_STARTING)
            reason_add(check, end->why);
        if (session->phase != SESSION_RUNNING || session->brake || session->explorer.adopting ||
            (end->exited && end->status == EXIT_RADDLE_IS_WRONG))
            return true;
        if (!(end->stuck ? stuck_goes_on(check, end) : death_goes_on(check, end)))
            return true;
        session->job = SESSION_RESUME;
    }
}

/* ---- with several processes */

/* In one of them. */
static const char *worker_run(void *context, int *status)
{
    struct native_check *check = context;
    struct session *session = check->driver.session;
    struct driver_end end;

    if (!run_all(check, &end)) {
        *status = EXIT_STATUS_ENVIRONMENT;
        return NULL;
    }
    if (end.exited && end.status == EXIT_RADDLE_IS_WRONG)
        *status = EXIT_RADDLE_IS_WRONG;
    if (check->report.reasons.count > 0)
        return check->report.reasons.at[0];
    if (session->phase == SESSION_STARTING || session->phase == SESSION_REFUSED)
        return "the program could be started once, but not again";
    return session->phase == SESSION_DONE || session->phase == SESSION_DIVERGED ? NULL : "";
}

/* From the start. */
static int run_alone(struct native_check *check, struct driver_end *end)
{
    struct session *session = check->driver.session;

    fprintf(report_stream(check->settings),
            "note: the program uses files or ports that several of it at once would share: one "
            "process searches\n");
    check->alone = true;
    session->options.max_executions = check->settings->search.max_executions;
    session->options.max_runs = 0;
    session->job = SESSION_EXPLORE;
    session->phase = SESSION_STARTING;
    return run_all(check, end) ? 0 : EXIT_STATUS_ENVIRONMENT;
}

/* With states, runs that stop early count, too: so many for each execution that there would be. */
#define PILOT_SHORT_RUNS 8

/* Makes the first runs here. False if the search ends with them; *status is not 0 if it failed. */
static bool run_pilot(struct native_check *check, const struct native_jobs *jobs, uint64_t runs,
                      struct driver_end *end, int *status)
{
    uint64_t wanted = check->settings->search.max_executions;

    check->driver.session->options.max_executions = wanted < runs ? wanted : runs;
    if (states_kind_compares(check->settings->search.states))
        check->driver.session->options.max_runs = PILOT_SHORT_RUNS * runs;
    if (!run_all(check, end))
        *status = EXIT_STATUS_ENVIRONMENT;
    return *status == 0 && native_jobs_wanted(jobs);
}

/* The first runs are made here, unless a search goes on that was kept. If there are more, others go on; from the start, if one of them finds out something about the
 * program. */
static int run_jobs(struct native_check *check, struct driver_end *end)
{
    struct subject subject = {.kind = SUBJECT_PROGRAM,
                              .file = check->program,
                              .fingerprint = driver_fingerprint(check->program),
                              .argv = check->argv};
    struct native_jobs jobs = {.driver = &check->driver,
                               .settings = check->settings,
                               .subject = &subject,
                               .checkpoint = &check->checkpoint,
                               .run = worker_run,
                               .context = check};
    uint64_t pilot = native_pilot_runs();
    bool anew = true;
    int status = 0;

    subject.identity =
        (struct work_identity){checkpoint_program(subject.fingerprint, check->argv + 1),
                               work_options_hash(&check->settings->search)};
    *end = (struct driver_end){.exited = true};
    while (anew && !status) {
        anew = false;
        if (check->driver.session->checkpoint.from.data.count == 0 &&
            !run_pilot(check, &jobs, pilot, end, &status))
            break;
        if (native_jobs_refused(&jobs))
            return run_alone(check, end);
        check->jobs = true; /* the process that made the first runs keeps nothing any more */
        status = native_jobs_run(&jobs, &anew);
        pilot = 4 * pilot; /* here it costs less to begin anew */
    }
    if (jobs.reason)
        reason_add(check, jobs.reason);
    free(jobs.reason);
    return status;
}

/* ---- the end */

/* The search has stopped, and the process has taken a checkpoint, if it could. */
static void checkpoint_last(struct native_check *check)
{
    const struct session_checkpoint *checkpoint = &check->driver.session->checkpoint;

    if (check->settings->checkpoint && checkpoint->number != check->checkpoint_number &&
        (!check->jobs || check->alone))
        checkpoint_file_write(&check->checkpoint, &checkpoint->at[checkpoint->number % 2]);
}

static int check_finish(struct native_check *check, const struct driver_end *end, double seconds)
{
    struct session *session = check->driver.session;
    char reason[200];
    uint32_t stopped = end->stopped ? end->stopped : session->brake, traces;
    bool drawn, complete;
    int status;

    if (!end->stopped && !end->stuck &&
        (session->phase == SESSION_STARTING || session->phase == SESSION_REFUSED))
        return start_failed(check, end);
    if (end->exited && end->status == EXIT_RADDLE_IS_WRONG)
        return EXIT_RADDLE_IS_WRONG;
    if (session->phase != SESSION_DONE) /* it may have been killed as stuck when it was to stop */
        session->explorer.stats.cut |= stopped;
    report_set_stats(&check->report, &session->explorer.stats, seconds);
    report_set_contended(&check->report, &session->explorer.contended);
    if (session->snapshots.way && session->snapshots.table.made > 0)
        check->report.snapshots.way = report_text(&check->report, session->snapshots.way);
    check->report.snapshots.made = session->snapshots.table.made;
    check->report.snapshots.used = session->snapshots.table.used;
    check->report.snapshots.lost = session->snapshots.table.lost;
    if (session->snapshots.refused)
        check->report.snapshots.refused = report_text(&check->report, session->snapshots.refused);
    if (session->untold)
        check->report.untold = report_text(&check->report, session->untold);
    complete = session->phase == SESSION_DONE && !(session->explorer.stats.cut & CUT_LIMITS);
    if (!complete)
        checkpoint_last(check);
    endless_report(check);
    if (session->phase == SESSION_RUNNING && !stopped &&
        (!end->stuck || check->report.reasons.count == 0))
        vec_push(&check->arena, &check->report.reasons, "the process of the program died");
    if (session->phase == SESSION_DIVERGED)
        divergence_report(check);
    check->report.threads = session->threads.count;
    unsupported_report(check);
    unseen_report(check);
    memory_report(check);
    check->report.suppressed = session->suppressed;
    check->report.relaxed = session->relaxed;
    drawn = tree_file_write(check->settings, &session->tree, check->subject);
    lock_orders_take(check);
    traces = bugs_report(check);
    lock_orders_report(check);
    if (race_warnings_reason(&check->report, reason, sizeof reason))
        reason_add(check, reason);
    race_advise(&check->report);
    if (traces == 0 && check->report.bugs.count == 0 && check->report.warnings.count == 0)
        stale_note(check);
    check->report.checkpoint = checkpoint_file_kept(&check->checkpoint, complete);
    status = report_finish(&check->report);
    checkpoint_file_end(&check->checkpoint, complete);
    return drawn ? status : EXIT_STATUS_ENVIRONMENT;
}

/* The session, as new or as a checkpoint has it. */
static bool session_begin(struct native_check *check)
{
    struct session *session = check->driver.session;
    struct bytes_reader in;

    check->driver.context = check;
    session->checkpoint.kept = check->settings->checkpoint != NULL;
    if (!check->settings->resume)
        return true;
    if (!checkpoint_file_load(&check->checkpoint, &in))
        return false;
    if (!session_checkpoint_give(session, &in)) {
        checkpoint_file_refuse(&check->checkpoint);
        return false;
    }
    return true;
}

/* Whether it goes on with the search of several processes: only these can. */
static bool is_of_workers(const struct session *session)
{
    struct bytes_reader from = bytes_read(&session->checkpoint.from);

    return checkpoint_is_tree(&from);
}

int check_program(const char *program, char *const *arguments, const char *subject,
                  const struct settings *settings)
{
    struct native_check check = {
        .program = program, .subject = subject, .settings = settings, .driver = {.fd = -1}};
    struct driver_end end;
    uint64_t fingerprint;
    int status = EXIT_STATUS_ENVIRONMENT;

    if (!driver_accepts(program))
        return EXIT_STATUS_USAGE;
    check.argv = native_argv(program, arguments);
    fingerprint = settings->checkpoint || settings->resume ? driver_fingerprint(program) : 0;
    if (!checkpoint_file_open(&check.checkpoint, settings,
                              checkpoint_program(fingerprint, check.argv + 1))) {
        status = EXIT_STATUS_USAGE;
    } else if (arena_open(&check.arena, ARENA_RESERVE) == 0 &&
               driver_open(&check.driver, settings)) {
        report_open(&check.report, &check.arena, subject, settings);
        started = seconds_now();
        if (!session_begin(&check))
            status = EXIT_STATUS_USAGE;
        else if (settings->jobs || is_of_workers(check.driver.session))
            status = run_jobs(&check, &end);
        else
            status = run_all(&check, &end) ? 0 : EXIT_STATUS_ENVIRONMENT;
        if (status == 0) {
            status_clear();
            status = check_finish(&check, &end, check.checkpoint.before + seconds_now() - started);
        }
    }
    checkpoint_file_close(&check.checkpoint);
    driver_close(&check.driver);
    arena_close(&check.arena);
    free((void *)check.argv);
    return status;
}

void check_program_work(const struct subject *subject, const struct settings *settings,
                        const struct bytes *known, struct link *link, int mail_fd)
{
    struct native_check check = {.program = subject->file,
                                 .argv = subject->argv,
                                 .subject = subject->file,
                                 .settings = settings,
                                 .driver = {.fd = -1}};
    struct native_jobs jobs = {.driver = &check.driver,
                               .settings = settings,
                               .subject = subject,
                               .run = worker_run,
                               .context = &check};

    check.driver.context = &check;
    if (arena_open(&check.arena, ARENA_RESERVE) != 0)
        _exit(EXIT_STATUS_ENVIRONMENT);
    report_open(&check.report, &check.arena, subject->file, settings);
    native_work(&jobs, known, link, mail_fd);
}
