#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "cli/native.h"

#define ARENA_RESERVE ((size_t)1 << 34)
#define OUTPUT_MAX    ((off_t)16 << 20)

static session_text text_copy(struct arena *arena, session_text text)
{
    size_t size;

    if (!text)
        return NULL;
    size = strlen(text) + 1;
    return memcpy(arena_alloc(arena, size), text, size);
}

static struct session_site site_copy(struct arena *arena, const struct session_site *site)
{
    struct session_site copy = *site;

    copy.file = text_copy(arena, site->file);
    copy.function = text_copy(arena, site->function);
    copy.what = text_copy(arena, site->what);
    return copy;
}

static void side_take(struct arena *arena, struct session_side *side)
{
    side->what = text_copy(arena, side->what);
    side->site = site_copy(arena, &side->site);
    for (uint32_t i = 0; i < SESSION_LOCKS; i++)
        side->locks[i] = text_copy(arena, side->locks[i]);
}

static void cells_take(struct arena *arena, struct native_case *to,
                       const struct session_cell *cells, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        struct session_cell cell = cells[k];

        cell.name = text_copy(arena, cell.name);
        vec_push(arena, &to->cells, cell);
    }
}

/* Stacks, values and who waits. */
static void record_take(struct native_case *native_case, const struct session *session)
{
    struct arena *arena = &native_case->arena;

    for (uint32_t k = 0; k < session->frames.count; k++) {
        struct session_frame frame = session->frames.at[k];

        frame.site = site_copy(arena, &frame.site);
        vec_push(arena, &native_case->frames, frame);
    }
    cells_take(arena, native_case, session->cells.at, session->cells.count);
    for (uint32_t k = 0; k < session->changes.count; k++) {
        struct session_change change = session->changes.at[k];

        change.text = text_copy(arena, change.text);
        vec_push(arena, &native_case->changes, change);
    }
    for (uint32_t k = 0; k < session->waits.count; k++) {
        struct session_wait wait = session->waits.at[k];

        wait.site = site_copy(arena, &wait.site);
        wait.text = text_copy(arena, wait.text);
        vec_push(arena, &native_case->waits, wait);
    }
}

void native_case_follow(struct native_case *found, const struct native_case *again)
{
    found->cells.count = 0;
    cells_take(&found->arena, found, again->cells.at, again->cells.count);
}

void native_case_take(struct native_case *native_case, const struct session *session, uint32_t i)
{
    struct arena *arena = &native_case->arena;
    const struct session_bug *bug = &session->bugs.at[i];

    memset(native_case, 0, sizeof *native_case);
    CHECK(arena_open(arena, ARENA_RESERVE) == 0, "out of memory");
    native_case->bug = *bug;
    native_case->bug.site = site_copy(arena, &bug->site);
    native_case->bug.message = text_copy(arena, bug->message);
    native_case->bug.detail = text_copy(arena, bug->detail);
    native_case->bug.refused = text_copy(arena, bug->refused);
    side_take(arena, &native_case->bug.sides[0]);
    side_take(arena, &native_case->bug.sides[1]);
    for (uint32_t k = 0; k < bug->schedule_count; k++)
        vec_push(arena, &native_case->schedule, session->schedules.at[bug->schedule_first + k]);
    for (uint32_t k = 0; k < session->threads.count; k++) {
        struct session_thread thread = session->threads.at[k];

        thread.created = site_copy(arena, &thread.created);
        thread.name = text_copy(arena, thread.name);
        vec_push(arena, &native_case->threads, thread);
    }
    native_case->cancels = session->cancels;
    native_case->tries_to_join = session->tries_to_join;
    native_case->tries_to_lock = session->tries_to_lock;
    native_case->rounds = session->rounds.on && !session->rounds.off;
    native_case->informal = session->rounds.informal;
    for (uint32_t k = 0; k < session->shared_stacks.count; k++)
        vec_push(arena, &native_case->shared_stacks, session->shared_stacks.at[k]);
    for (uint32_t k = 0; k < bug->exposed; k++)
        vec_push(arena, &native_case->exposed, session->exposed.at[k]);
    for (uint32_t k = 0; k < bug->facts; k++)
        vec_push(arena, &native_case->facts, session->facts.at[k]);
    for (uint32_t k = 0; k < session->steps.count; k++) {
        struct session_step step = session->steps.at[k];

        step.site = site_copy(arena, &step.site);
        step.text = text_copy(arena, step.text);
        step.object = text_copy(arena, step.object);
        vec_push(arena, &native_case->steps, step);
    }
    for (uint32_t k = 0; k < session->differences.count; k++)
        vec_push(arena, &native_case->differences, text_copy(arena, session->differences.at[k]));
    native_case->told_apart = session->told_apart;
    record_take(native_case, session);
    native_case_places(native_case);
}

const char *thread_words(const struct session_thread *threads, uint32_t count, uint32_t thread,
                         char *buffer, size_t size)
{
    const char *name = thread == 0 ? "main" : thread < count ? threads[thread].name : NULL;

    if (name)
        snprintf(buffer, size, "T%" PRIu32 " (%s)", thread, name);
    else
        snprintf(buffer, size, "T%" PRIu32, thread);
    return buffer;
}

const char *native_case_whose(const struct native_case *run, const struct session_bug *bug,
                              char *buffer, size_t size)
{
    char name[200];

    if (bug->kind == BUG_DATA_RACE)
        return "";
    thread_words(run ? run->threads.at : NULL, run ? run->threads.count : 0, bug->thread, name,
                 sizeof name);
    snprintf(buffer, size, ", in %s", name);
    return buffer;
}

void native_case_free(struct native_case *native_case)
{
    arena_close(&native_case->arena);
    memset(native_case, 0, sizeof *native_case);
}

/* ---- replaying */

static void output_take(struct native_case *native_case, int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char block[4096];
    ssize_t got;

    if (size > OUTPUT_MAX)
        size = OUTPUT_MAX;
    for (off_t at = 0; at < size; at += got) {
        got = pread(fd, block, sizeof block, at);
        if (got <= 0)
            return;
        for (ssize_t i = 0; i < got; i++)
            vec_push(&native_case->arena, &native_case->output, block[i]);
    }
}

void native_schedule_give(struct session *session, const struct native_case *found,
                          enum session_job job)
{
    session->job = job;
    session->wanted = found->bug.kind;
    session->wanted_message = text_copy(&session->arena, found->bug.message);
    for (uint32_t i = 0; i < found->schedule.count; i++)
        vec_push(&session->arena, &session->schedule, found->schedule.at[i]);
    for (uint32_t i = 0; i < found->threads.count; i++) {
        struct session_thread thread = found->threads.at[i];

        thread.created = (struct session_site){0};
        thread.name = NULL;
        vec_push(&session->arena, &session->threads, thread);
    }
    session->options.commutes = found->bug.commutes;
    session->cancels = found->cancels;
    session->tries_to_join = found->tries_to_join;
    session->tries_to_lock = found->tries_to_lock;
    session->rounds.on = found->rounds;
    session->rounds.informal = found->informal;
    for (uint32_t i = 0; i < found->shared_stacks.count; i++)
        vec_push(&session->arena, &session->shared_stacks, found->shared_stacks.at[i]);
    for (uint32_t i = 0; i < found->exposed.count; i++)
        vec_push(&session->arena, &session->exposed, found->exposed.at[i]);
    for (uint32_t i = 0; i < found->cells.count; i++) {
        struct session_cell cell = found->cells.at[i];

        cell.name = text_copy(&session->arena, cell.name);
        vec_push(&session->arena, &session->cells, cell);
    }
    for (uint32_t i = 0; i < found->facts.count; i++)
        vec_push(&session->arena, &session->facts, found->facts.at[i]);
}

/* A process that dies in the replay of a death: the very same bug. */
static bool died_again(const struct native_case *found, const struct session *session)
{
    return session->phase == SESSION_RUNNING && found->bug.kind == BUG_CRASH;
}

static bool same_place(const struct session_site *a, const struct session_site *b)
{
    return a->line == b->line && a->file && b->file && strcmp(a->file, b->file) == 0;
}

/* The bug of the session that is most like it, or their number if there is none of its kind. The sides of a race may have changed places. */
static uint32_t bug_again(const struct session *session, const struct session_bug *bug)
{
    uint32_t alike = session->bugs.count;
    bool placed = false, here;

    for (uint32_t i = session->bugs.count; i-- > 0;) {
        const struct session_bug *other = &session->bugs.at[i];

        if (other->kind != bug->kind)
            continue;
        if (strcmp(other->message, bug->message) == 0)
            return i;
        here =
            same_place(&other->site, &bug->site) || same_place(&other->sides[0].site, &bug->site);
        if (!placed || here)
            alike = i;
        placed |= here;
    }
    return bug->kind == BUG_DATA_RACE && !placed ? session->bugs.count : alike;
}

static const char *replay_judge(struct session *session, const struct native_case *found,
                                struct native_case *again)
{
    static char problem[600];
    uint32_t at;

    if (died_again(found, session)) {
        struct session_bug bug = found->bug;

        session_schedule(session, &bug);
        vec_push(&session->arena, &session->bugs, bug);
        native_case_take(again, session, session->bugs.count - 1);
        return NULL;
    }
    if (session->phase != SESSION_DONE) {
        snprintf(problem, sizeof problem, "%s",
                 session->divergence ? session->divergence : "the process did not finish");
        return problem;
    }
    at = bug_again(session, &found->bug);
    if (at == session->bugs.count)
        return "the run ends without it";
    session->bugs.at[at].schedule_count = session->schedule.count;
    native_case_take(again, session, at);
    return NULL;
}

bool native_replay_case(const char *program, char *const *argv, const struct settings *settings,
                        const struct native_case *found, struct native_case *again,
                        const char **problem)
{
    struct driver driver = {.fd = -1};
    struct driver_end end;
    int output = memfd_create("output", MFD_CLOEXEC);
    bool ran;

    memset(again, 0, sizeof *again);
    *problem = NULL;
    ran = output >= 0 && driver_open(&driver, settings);
    if (ran) {
        native_schedule_give(driver.session, found, SESSION_REPLAY);
        driver.session->pid ^= 1; /* a bug that depends on it does not show again */
        ran = driver_run(&driver, program, argv, output, NULL, &end);
    }
    if (ran) {
        *problem = end.stuck || end.stopped ? "the process does not go on"
                                            : replay_judge(driver.session, found, again);
        if (!*problem)
            output_take(again, output);
    }
    driver_close(&driver);
    if (output >= 0)
        close(output);
    return ran;
}

/* What the process left: at each moment a schedule that ends in the bug, and all threads that it names. */
static void schedule_take(struct native_case *found, const struct session *session)
{
    found->schedule.count = 0;
    for (uint32_t i = 0; i < session->schedule.count; i++)
        vec_push(&found->arena, &found->schedule, session->schedule.at[i]);
    for (uint32_t i = found->threads.count; i < session->threads.count; i++) {
        struct session_thread thread = session->threads.at[i];

        thread.created = site_copy(&found->arena, &thread.created);
        vec_push(&found->arena, &found->threads, thread);
    }
}

bool native_minimise_case(const char *program, char *const *argv, const struct settings *settings,
                          struct native_case *found)
{
    struct settings patient = *settings;
    struct driver driver = {.fd = -1};
    struct driver_end end;
    bool shorter = false;

    patient.search.timeout = settings->minimise_seconds; /* a run that never ends is killed */
    if (driver_open(&driver, &patient)) {
        struct session *session = driver.session;

        native_schedule_give(session, found, SESSION_MINIMISE);
        session->minimise_seconds = settings->minimise_seconds;
        shorter = driver_run(&driver, program, argv, -1, NULL, &end) && session->minimised.runs > 0;
        if (shorter)
            schedule_take(found, session);
    }
    driver_close(&driver);
    return shorter;
}

char *const *native_argv(const char *program, char *const *arguments)
{
    size_t count = 0;
    char **argv;

    while (arguments && arguments[count])
        count++;
    argv = calloc(count + 2, sizeof *argv);
    CHECK(argv, "out of memory");
    argv[0] = (char *)program;
    for (size_t i = 0; i < count; i++)
        argv[1 + i] = arguments[i];
    return argv;
}
