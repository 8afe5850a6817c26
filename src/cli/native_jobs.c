#include "cli/native_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "cli/mpi.h"
#include "cluster/findings.h"

/* Each worker is a process of raddle with a session of its own, which begins with what is known about the program, and a process of the program that works in it. */

#define ARENA_RESERVE           ((size_t)1 << 38)
#define SESSION_SCRATCH_RESERVE ((size_t)1 << 34) /* for what one message brings */

struct team {
    struct native_jobs *jobs;
    struct arena arena;
    struct numbers numbers;
    struct bytes known;              /* what all begin with: session_write */
    struct coordinator *coordinator; /* while it runs */
    uint64_t suppressed_before;      /* races, when the workers began */
    VEC(uint64_t) suppressed;        /* by worker: the same, as it has told last */
    struct bytes anew;               /* what one has found out because of which all begin anew */
};

/* ---- in the worker */

/* Numbers that the program does not get to see, and that it keeps across exec. */
static int fd_keep(int fd, int number)
{
    return fcntl(fd, F_DUPFD, number);
}

static void words_send(int fd, const struct bytes *words)
{
    for (uint32_t sent = 0; sent < words->data.count;) {
        ssize_t n = send(fd, words->data.at + sent, words->data.count - sent, MSG_NOSIGNAL);

        if (n <= 0 && errno != EINTR)
            return;
        sent += n > 0 ? (uint32_t)n : 0;
    }
}

/* The last words of a worker whose program has ended: what it has found since it told, and why it cannot go on, if that is so. */
static void last_words(int fd, struct session *session, const char *why)
{
    struct bytes words, message;

    bytes_open(&words, &session->arena);
    bytes_open(&message, &session->arena);
    findings_tell(session, &words);
    if (why && *why) {
        bytes_number(&message, MESSAGE_FAILED);
        bytes_number(&message, 0); /* item */
        bytes_add(&message, why, strlen(why));
    } else if (why) {
        struct explorer_stats none = {0};

        bytes_number(&message, MESSAGE_STATS);
        bytes_number(&message, 0);
        stats_write(&none, &none, &message);
        bytes_number(&message, 1); /* gives up */
    }
    if (message.data.count > 0) {
        link_length(&words, message.data.count);
        bytes_add(&words, message.data.at, message.data.count);
    }
    words_send(fd, &words);
}

void native_work(struct native_jobs *jobs, const struct bytes *known, struct link *link,
                 int mail_fd)
{
    struct bytes_reader in = bytes_read(known);
    struct driver *driver = jobs->driver;
    struct session *session;
    const char *why;
    int status = 0;

    driver_close(driver); /* that of the process that we come from */
    if (!driver_open(driver, jobs->settings) || !session_read(driver->session, &in))
        _exit(EXIT_STATUS_ENVIRONMENT);
    session = driver->session;
    session->work_fd = fd_keep(link->fd, 902);
    session->mail_fd = fd_keep(mail_fd, 903);
    session->work_limit = JOBS_LIMIT;
    session->work_facts = session->facts.count;
    session->work_program = jobs->subject->identity.program;
    session->work_options = jobs->subject->identity.options;
    session->work_told = session_sum(session);
    session->options.max_executions = NO_LIMIT; /* all together have one */
    session->options.timeout = 0;
    driver->deadline = 0;
    close(link->fd);
    why = jobs->run(jobs->context, &status);
    last_words(session->work_fd, session, why);
    _exit(status);
}

static void team_work(void *context, struct link *link, int mail_fd)
{
    struct team *team = context;

    native_work(team->jobs, &team->known, link, mail_fd);
}

/* ---- in the parent */

/* What was found before counts for all: workers begin without it. */
static void known_take(struct team *team, struct session *session)
{
    struct session copy = *session;

    copy.bugs.count = copy.schedules.count = 0;
    team->suppressed_before = session->suppressed;
    bytes_open(&team->known, &team->arena);
    session_write(&copy, &team->known);
}

static void numbers_begin(struct team *team, const struct session *session)
{
    numbers_table_open(&team->numbers, &team->arena);
    for (uint32_t i = 0; i < session->threads.count; i++)
        numbers_table_take(&team->numbers, session->threads.at[i].parent,
                           session->threads.at[i].rank);
}

static uint64_t *suppressed_of(struct team *team, uint32_t worker)
{
    while (team->suppressed.count <= worker)
        vec_push(&team->arena, &team->suppressed, team->suppressed_before);
    return &team->suppressed.at[worker];
}

/* A worker tells what it has found: it becomes part of the session of all. */
static void team_found(void *context, uint32_t worker, const void *at, size_t size)
{
    struct team *team = context;
    struct session *all = team->jobs->driver->session;
    struct session *one = calloc(1, sizeof *one);
    uint64_t *suppressed = suppressed_of(team, worker);

    CHECK(one && arena_open(&one->arena, SESSION_SCRATCH_RESERVE) == 0, "out of memory");
    if (!findings_read(one, at, size)) {
        coordinator_fail(team->coordinator, "what a worker has found cannot be read");
    } else {
        if (one->suppressed < *suppressed) /* another one in its place */
            *suppressed = team->suppressed_before;
        if ((session_join(all, one, suppressed) || one->begin_anew) && !team->anew.data.count) {
            bytes_add(&team->anew, at, size);
            coordinator_stop(team->coordinator);
        }
    }
    arena_close(&one->arena);
    free(one);
}

/* ---- checkpoints */

static void team_keep(void *context, const struct coordinator *coordinator)
{
    struct team *team = context;
    struct session *session = team->jobs->driver->session;
    struct arena scratch;
    struct bytes bytes;

    if (team->anew.data.count)
        return; /* nothing of it counts */
    CHECK(arena_open(&scratch, ARENA_RESERVE) == 0, "out of memory");
    bytes_open(&bytes, &scratch);
    session_write(session, &bytes);
    bytes_number(&bytes, CHECKPOINT_TREE);
    coordinator_write(coordinator, &bytes);
    checkpoint_file_write(team->jobs->checkpoint, &bytes);
    arena_close(&scratch);
}

static bool team_keep_is_due(void *context)
{
    const struct team *team = context;

    return checkpoint_file_is_due(team->jobs->checkpoint);
}

/* ---- all of it */

uint64_t native_pilot_runs(void)
{
    const char *wanted = getenv("RADDLE_PILOT");

    return wanted ? strtoull(wanted, NULL, 10) : NATIVE_PILOT_RUNS;
}

bool native_jobs_wanted(const struct native_jobs *jobs)
{
    const struct session *session = jobs->driver->session;
    uint32_t cut = session->explorer.stats.cut;

    return session->phase == SESSION_DONE && cut & CUT_MAX_EXECUTIONS &&
           !(cut & (CUT_STOPPED | CUT_TIMEOUT | CUT_MAX_MEMORY | CUT_INTERRUPTED)) &&
           session->explorer.stats.executions < jobs->settings->search.max_executions;
}

bool native_jobs_refused(const struct native_jobs *jobs)
{
    const struct session *session = jobs->driver->session;

    return session->outside || session->undo.outside;
}

/* A new session takes the place of the driver's: it knows what one has found out, and what all have. */
static bool team_anew(struct team *team)
{
    struct driver *driver = team->jobs->driver, old = *driver;
    struct session *before = calloc(1, sizeof *before), *session;
    struct bytes bytes;
    struct bytes_reader in;
    bool good;

    CHECK(before && arena_open(&before->arena, SESSION_SCRATCH_RESERVE) == 0, "out of memory");
    bytes_open(&bytes, &team->arena);
    session_write(driver->session, &bytes);
    in = bytes_read(&bytes);
    driver_close(driver);
    good = driver_open(driver, team->jobs->settings) && session_read(before, &in) &&
           findings_read(driver->session, team->anew.data.at, team->anew.data.count);
    if (good) {
        session = driver->session;
        session->begin_anew = false;
        session_begin_with(session, before);
        driver->deadline = old.deadline;
        driver->constructors_run = old.constructors_run;
        session->checkpoint.kept = team->jobs->settings->checkpoint != NULL;
    }
    arena_close(&before->arena);
    free(before);
    return good;
}

/* What the first runs have left, or a search that was resumed, is the first thing to do. */
static void begin_take(struct team *team, struct session *session, struct jobs *jobs,
                       struct bytes_reader *tree)
{
    struct bytes *from = &session->checkpoint.from;
    struct checkpoint_search *search;

    jobs->resumed = from->data.count > 0;
    *tree = bytes_read(from);
    from->data.count = 0; /* if the search begins anew, it is one from the beginning */
    if (jobs->resumed && checkpoint_is_tree(tree)) {
        bytes_read_number(tree);
        jobs->tree = tree;
        return;
    }
    search = arena_alloc(&team->arena, sizeof *search);
    if (jobs->resumed) {
        CHECK(checkpoint_read(search, &team->arena, tree), "a checkpoint that was good is damaged");
    } else {
        session->explorer.stats.cut &= ~(uint32_t)CUT_MAX_EXECUTIONS;
        work_open(&search->work, &team->arena);
        work_take(&search->work, &session->explorer);
    }
    jobs->begin = &search->work;
}

static int team_run(struct team *team, struct session *session, bool *anew)
{
    struct native_jobs *native = team->jobs;
    bool keeps = native->settings->checkpoint != NULL;
    struct jobs jobs = {.settings = native->settings,
                        .subject = native->subject,
                        .identity = native->subject->identity,
                        .work = team_work,
                        .session = &team->known,
                        .bug = team_found,
                        .keep = keeps ? team_keep : NULL,
                        .keep_is_due = team_keep_is_due,
                        .context = team,
                        .numbers = &team->numbers,
                        .coordinator = &team->coordinator};
    struct bytes_reader tree;
    int status;

    numbers_begin(team, session);
    known_take(team, session);
    begin_take(team, session, &jobs, &tree);
    status = jobs_run(&jobs, &team->arena);
    if (status)
        return status;
    *anew = team->anew.data.count > 0;
    if (*anew && !(jobs.stats.cut & (CUT_INTERRUPTED | CUT_TIMEOUT)))
        return team_anew(team) ? 0 : EXIT_STATUS_ENVIRONMENT;
    *anew = false;
    session->phase = session->divergence ? SESSION_DIVERGED : SESSION_DONE;
    session->explorer.stats = jobs.stats;
    /* whatever it was that a worker gave up for */
    if (!jobs.failed && !jobs.explored && !jobs.stats.cut && session->bugs.count == 0)
        jobs.failed = "the workers ended before everything was explored";
    if (jobs.failed && !session->divergence)
        native->reason = strdup(jobs.failed);
    return 0;
}

int native_jobs_run(struct native_jobs *jobs, bool *anew)
{
    struct team team = {.jobs = jobs};
    int status = EXIT_STATUS_ENVIRONMENT;

    *anew = false;
    if (arena_open(&team.arena, ARENA_RESERVE) != 0) {
        fprintf(stderr, "raddle: workers: %s\n", strerror(errno));
        return status;
    }
    bytes_open(&team.anew, &team.arena);
    status = team_run(&team, jobs->driver->session, anew);
    arena_close(&team.arena);
    return status;
}
