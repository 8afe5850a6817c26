#include <errno.h>
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
    for (uint32_t k = 0; k < bug->schedule_count; k++)
        vec_push(arena, &native_case->schedule, session->schedules.at[bug->schedule_first + k]);
    for (uint32_t k = 0; k < session->threads.count; k++) {
        struct session_thread thread = session->threads.at[k];

        thread.created = site_copy(arena, &thread.created);
        vec_push(arena, &native_case->threads, thread);
    }
    for (uint32_t k = 0; k < session->shared_stacks.count; k++)
        vec_push(arena, &native_case->shared_stacks, session->shared_stacks.at[k]);
    for (uint32_t k = 0; k < bug->exposed; k++)
        vec_push(arena, &native_case->exposed, session->exposed.at[k]);
    for (uint32_t k = 0; k < session->steps.count; k++) {
        struct session_step step = session->steps.at[k];

        step.site = site_copy(arena, &step.site);
        step.text = text_copy(arena, step.text);
        step.object = text_copy(arena, step.object);
        vec_push(arena, &native_case->steps, step);
    }
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

static void schedule_give(struct session *session, const struct native_case *found,
                          enum session_job job)
{
    session->job = job;
    for (uint32_t i = 0; i < found->schedule.count; i++)
        vec_push(&session->arena, &session->schedule, found->schedule.at[i]);
    for (uint32_t i = 0; i < found->threads.count; i++) {
        struct session_thread thread = found->threads.at[i];

        thread.created = (struct session_site){0};
        vec_push(&session->arena, &session->threads, thread);
    }
    for (uint32_t i = 0; i < found->shared_stacks.count; i++)
        vec_push(&session->arena, &session->shared_stacks, found->shared_stacks.at[i]);
    for (uint32_t i = 0; i < found->exposed.count; i++)
        vec_push(&session->arena, &session->exposed, found->exposed.at[i]);
}

/* A process that dies in the replay of a death: the very same bug. */
static bool died_again(const struct native_case *found, const struct session *session)
{
    return session->phase == SESSION_RUNNING && found->bug.kind == BUG_CRASH;
}

/* The bug of the session that is most like it, or their number if there is none of its kind. */
static uint32_t bug_again(const struct session *session, const struct session_bug *bug)
{
    uint32_t alike = session->bugs.count;

    for (uint32_t i = session->bugs.count; i-- > 0;) {
        const struct session_bug *other = &session->bugs.at[i];

        if (other->kind != bug->kind)
            continue;
        if (strcmp(other->message, bug->message) == 0)
            return i;
        alike = i;
    }
    return alike;
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
        schedule_give(driver.session, found, SESSION_REPLAY);
        ran = driver_run(&driver, program, argv, output, NULL, &end);
    }
    if (ran) {
        *problem = replay_judge(driver.session, found, again);
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
                          struct native_case *found, struct minimise_result *result)
{
    struct settings patient = *settings;
    struct driver driver = {.fd = -1};
    struct driver_end end;
    bool shorter = false;

    patient.search.timeout = settings->minimise_seconds; /* a run that never ends is killed */
    if (driver_open(&driver, &patient)) {
        struct session *session = driver.session;

        schedule_give(session, found, SESSION_MINIMISE);
        session->minimise_seconds = settings->minimise_seconds;
        shorter = driver_run(&driver, program, argv, -1, NULL, &end) && session->minimised.runs > 0;
        *result = session->minimised;
        if (shorter)
            schedule_take(found, session);
    }
    driver_close(&driver);
    return shorter;
}

/* ---- the trace file */

static struct trace_site trace_site_of(const struct session_site *site)
{
    return (struct trace_site){site->file, site->function, site->line, site->column};
}

static void trace_fill(struct trace *trace, const struct native_case *run)
{
    struct trace_site site = trace_site_of(&run->bug.site);

    for (uint32_t i = 0; i < run->threads.count; i++) {
        const struct session_thread *thread = &run->threads.at[i];

        trace_add_thread(trace, &(struct trace_thread){.parent = thread->parent,
                                                       .rank = thread->rank,
                                                       .created = trace_site_of(&thread->created)});
    }
    trace_set_bug(trace, bug_kind_names[run->bug.kind], run->bug.message, run->bug.detail,
                  run->bug.thread, &site);
    for (uint32_t i = 0; i < run->steps.count; i++) {
        const struct session_step *step = &run->steps.at[i];

        trace_add_step(trace, &(struct trace_step){.thread = step->choice.thread,
                                                   .is_buffer = step->choice.is_buffer,
                                                   .addr = step->choice.addr,
                                                   .outcome = step->choice.outcome,
                                                   .op = step->op,
                                                   .reads = step->reads,
                                                   .writes = step->writes,
                                                   .size = step->size,
                                                   .value = step->value,
                                                   .object = step->object,
                                                   .text = step->text,
                                                   .site = trace_site_of(&step->site)});
    }
    /* the step in which a process died was never described */
    for (uint32_t i = run->steps.count; i < run->schedule.count; i++) {
        const struct session_choice *choice = &run->schedule.at[i];

        trace_add_step(trace, &(struct trace_step){.thread = choice->thread,
                                                   .is_buffer = choice->is_buffer,
                                                   .addr = choice->addr,
                                                   .outcome = choice->outcome,
                                                   .op = OP_CRASH,
                                                   .text = "the process dies"});
    }
    trace_add_output(trace, run->output.at, run->output.count);
}

/* Whose stacks are shared, as a word of 0s and 1s. */
static void stacks_write(struct trace *trace, const struct native_case *run)
{
    char *word = calloc(run->shared_stacks.count + 1, 1);

    CHECK(word, "out of memory");
    for (uint32_t i = 0; i < run->shared_stacks.count; i++)
        word[i] = run->shared_stacks.at[i] ? '1' : '0';
    trace_set_option(trace, "shared-stacks", word);
    free(word);
}

/* What was exposed, as numbers with commas between. */
static void exposed_write(struct trace *trace, const struct native_case *run)
{
    char *word = calloc(run->exposed.count * 20 + 1, 1);
    size_t used = 0;

    CHECK(word, "out of memory");
    for (uint32_t i = 0; i < run->exposed.count; i++)
        used += (size_t)sprintf(word + used, "%s%" PRIx64, i ? "," : "", run->exposed.at[i]);
    if (run->exposed.count)
        trace_set_option(trace, "exposed", word);
    free(word);
}

bool native_trace_write(const char *path, const char *program, char *const *argv,
                        const struct settings *settings, const struct native_case *run)
{
    struct trace trace;
    char number[32];
    FILE *out;
    bool ok;

    if (trace_open(&trace) != 0)
        return false;
    trace_set_program(&trace, program, (const char *const *)argv + 1);
    trace.build = driver_fingerprint(program);
    trace_set_model(&trace, settings->search.memory->name, settings->search.buffer_bound);
    snprintf(number, sizeof number, "%" PRIu32, settings->nondet_max);
    trace_set_option(&trace, "nondet-max", number);
    trace_set_option(&trace, "exit-is-bug", settings->exit_is_bug ? "1" : "0");
    trace_set_option(&trace, "races", settings->races ? "report" : "ignore");
    stacks_write(&trace, run);
    exposed_write(&trace, run);
    trace_fill(&trace, run);
    out = fopen(path, "w");
    ok = out && trace_write(&trace, out);
    if (out)
        ok = fclose(out) == 0 && ok;
    if (!ok)
        fprintf(stderr, "raddle: %s: %s\n", path, strerror(errno));
    trace_free(&trace);
    return ok;
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
