#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/check.h"
#include "cli/check.h"
#include "cli/checkpoint_file.h"
#include "cli/driver.h"
#include "cli/interrupt.h"
#include "cli/jobs.h"
#include "cli/mpi.h"
#include "cli/report.h"
#include "cli/script_print.h"
#include "cli/tree_file.h"
#include "explore/minimise.h"
#include "model/object.h"
#include "script/describe.h"
#include "script/text.h"

#define ARENA_RESERVE ((size_t)1 << 40)

/* One scripted program being checked. */
struct check_run {
    const char *file;
    const struct settings *settings;
    struct program program;
    struct script script;
    struct arena arena;
    struct explorer explorer;
    struct explorer shorter; /* with a run of its own: the one that is shown */
    struct report report;
    struct tree tree; /* if it is wanted */
    struct work_identity identity;
    struct coordinator *coordinator; /* if there are several processes */
    bool jobs;                       /* there are: they have kept what is left */
    struct checkpoint_file checkpoint;
};

/* ---- what is wrong in the run that just ended */

static bool bug_is_new(const struct check_run *run, const struct report_bug *bug)
{
    for (uint32_t i = 0; i < run->report.bugs.count; i++) {
        const struct report_bug *other = &run->report.bugs.at[i];

        if (other->kind == bug->kind && other->line == bug->line && other->thread == bug->thread)
            return false;
    }
    return true;
}

static bool run_is_same(void *context, struct explorer *explorer, enum ending ending)
{
    const struct report_bug *bug = context;
    const struct execution *x = &explorer->execution;

    if (bug->kind == BUG_DEADLOCK)
        return ending == ENDING_DEADLOCK;
    for (uint32_t i = 0; i < x->findings.count; i++) /* one run may show several */
        if (x->findings.at[i].bug == bug->kind &&
            x->events.at[x->findings.at[i].event].op.site == bug->line)
            return true;
    return false;
}

/* The agent of `world` that is `agent` in `other`: numbers follow the order in which agents turned up. */
static agent_id agent_in(const struct world *world, const struct world *other, agent_id agent)
{
    const struct agent *wanted = &other->agents.at[agent];

    for (agent_id i = 0; i < world->agents.count; i++)
        if (world->agents.at[i].is_buffer == wanted->is_buffer &&
            world->agents.at[i].addr == wanted->addr &&
            world->agents.at[world->agents.at[i].thread].key ==
                other->agents.at[wanted->thread].key)
            return i;
    CHECK(false, "a script did not start a thread again");
    return AGENT_NONE;
}

static void run_repeat(struct explorer *to, const struct explorer *from)
{
    const struct execution *x = &from->execution;

    world_restart(&to->world);
    for (event_id id = 0; id < x->events.count; id++) {
        const struct event *event = &x->events.at[id];
        bool wakes = event->op.kind == OP_COND_SIGNAL && event->outcome != OUTCOME_LOST;

        execution_append(&to->execution, agent_in(&to->world, &from->world, event->agent),
                         wakes ? agent_in(&to->world, &from->world, event->outcome)
                               : event->outcome);
        races_cut(&to->execution, 0);
    }
}

/* The run that just ended, as short as it can be, on an explorer of its own: the search still needs the other one. */
static void run_shorten(struct check_run *run, const struct report_bug *bug)
{
    struct minimise_goal goal = {
        .same = run_is_same, .context = (void *)bug, .seconds = run->settings->minimise_seconds};
    struct minimise_result result;
    struct explorer_options options = run->explorer.options;

    options.states = STATES_OFF;
    options.symmetry = SYMMETRY_OFF;
    options.between = NULL;
    explorer_open(&run->shorter, &run->arena, &run->script.base, &options);
    run_repeat(&run->shorter, &run->explorer);
    /* a run that shows something else before that is told as it was */
    if (goal.seconds > 0 && !minimise(&run->shorter, &goal, &result))
        run_repeat(&run->shorter, &run->explorer);
}

static void bug_report(struct check_run *run, const struct report_bug *bug)
{
    FILE *out = report_stream(run->settings);
    const struct script_run shown = {&run->program, &run->script, &run->shorter};

    if (!bug_is_new(run, bug))
        return;
    run_shorten(run, bug);
    vec_push(&run->arena, &run->report.bugs, *bug);
    vec_last(&run->report.bugs).message = report_text(&run->report, bug->message);
    fprintf(out, "%s:%" PRIu32 ": %s: %s\n", run->file, bug->line, bug_kind_names[bug->kind],
            bug->message);
    if (bug->kind == BUG_DEADLOCK)
        script_print_stuck(&shown, out);
    script_print_run(&shown, out);
}

static void finding_report(struct check_run *run, const struct finding *finding)
{
    const struct event *event = &run->explorer.execution.events.at[finding->event];
    struct report_bug bug = {.kind = finding->bug,
                             .thread = script_thread_of(&run->explorer.world, event->agent),
                             .line = (uint32_t)event->op.site,
                             .file = run->file};
    const char *thread = run->program.threads[bug.thread].name;
    char message[200];

    if (finding->rule)
        snprintf(message, sizeof message, "%s: %s", thread, finding->rule);
    else
        snprintf(message, sizeof message, "the assertion of thread %s fails", thread);
    bug.message = message;
    bug_report(run, &bug);
}

/* One of several deadlocks: where the first of the threads waits. */
static struct report_bug deadlock_of(struct check_run *run)
{
    const struct world *world = &run->explorer.world;
    struct report_bug bug = {
        .kind = BUG_DEADLOCK, .file = run->file, .message = "no thread can go on"};

    for (uint32_t i = world->active.count; i-- > 0;) {
        agent_id agent = world->active.at[i];

        if (world->agents.at[agent].is_buffer || world->threads.at[agent].status != THREAD_RUNNING)
            continue;
        bug.thread = script_thread_of(world, agent);
        bug.line = (uint32_t)world->threads.at[agent].pending.site;
    }
    return bug;
}

static void deadlock_report(struct check_run *run)
{
    struct report_bug bug = deadlock_of(run);

    bug_report(run, &bug);
}

/* Only if a tree is wanted. */
static void run_takes(void *context, struct explorer *explorer, agent_id agent, outcome_id outcome)
{
    struct check_run *run = context;
    uint32_t depth = explorer->execution.events.count;
    struct op space;
    const struct op *op = world_pending(&explorer->world, agent, &space);
    char *text = NULL;
    size_t length;
    FILE *stream = op && tree_wants(&run->tree, depth) ? open_memstream(&text, &length) : NULL;

    if (stream) {
        script_describe_agent(&run->script, &explorer->world, agent, stream);
        fputc(' ', stream);
        script_describe_op(&run->script, &explorer->world, op, outcome, NULL, stream);
        fclose(stream);
    }
    tree_step(&run->tree, depth, script_thread_of(&explorer->world, agent),
              explorer->world.agents.at[agent].is_buffer,
              text ? report_text(&run->report, text) : "");
    free(text);
}

static bool run_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct check_run *run = context;

    if (ending == ENDING_DEADLOCK)
        deadlock_report(run);
    for (uint32_t i = 0; i < explorer->execution.findings.count; i++)
        finding_report(run, &explorer->execution.findings.at[i]);
    if (run->settings->tree)
        tree_end(&run->tree, explorer->execution.events.count,
                 tree_mark_of(explorer, ending, explorer->execution.findings.count > 0));
    return run->report.bugs.count == 0 || run->settings->keep_going;
}

/* ---- with several processes */

/* One that searches for all. */
struct script_worker {
    struct check_run *run;
    struct worker worker;
    struct arena scratch, arena;
    VEC(uint64_t) told; /* bugs that were, by kind and place */
};

/* The parent makes the run again, and reports it. */
static void bug_tell(struct script_worker *w, struct explorer *explorer, uint64_t name)
{
    struct bytes bytes;
    struct work work;

    for (uint32_t i = 0; i < w->told.count; i++)
        if (w->told.at[i] == name)
            return;
    vec_push(&w->arena, &w->told, name);
    work_open(&work, explorer->arena);
    bytes_open(&bytes, explorer->arena);
    work_take_schedule(&work, explorer);
    work_write_inner(&work, &bytes);
    worker_tell_bug(&w->worker, bytes.data.at, bytes.data.count);
}

static bool worker_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct script_worker *w = context;
    const struct execution *x = &explorer->execution;

    if (ending == ENDING_DEADLOCK) {
        struct report_bug bug = deadlock_of(w->run);

        bug_tell(w, explorer, (uint64_t)bug.line << 8 | (uint64_t)bug.thread << 40 | BUG_DEADLOCK);
    }
    for (uint32_t i = 0; i < x->findings.count; i++) {
        const struct event *event = &x->events.at[x->findings.at[i].event];

        bug_tell(w, explorer,
                 event->op.site << 8 | (uint64_t)event->agent << 40 | x->findings.at[i].bug);
    }
    return w->run->settings->keep_going || w->told.count == 0;
}

static void worker_work(void *context, struct link *link, int mail_fd)
{
    struct script_worker w = {.run = context};
    struct explorer_options options = w.run->settings->search;

    (void)mail_fd;
    options.ended = worker_ended;
    options.context = &w;
    options.forgets = true;
    options.max_executions = NO_LIMIT; /* all together have one, and the parent counts */
    options.timeout = 0;
    if (arena_open(&w.scratch, ARENA_RESERVE) != 0 || arena_open(&w.arena, ARENA_RESERVE) != 0)
        return;
    explorer_open(&w.run->explorer, &w.run->arena, &w.run->script.base, &options);
    worker_open(&w.worker, &w.run->explorer, &w.scratch, JOBS_LIMIT, &w.run->identity);
    link_serve(link, &w.worker);
}

static void worker_bug(void *context, uint32_t worker, const void *at, size_t size)
{
    struct check_run *run = context;
    struct bytes_reader in = {.at = at, .end = (const uint8_t *)at + size};
    struct work work;

    (void)worker;
    explorer_reset(&run->explorer);
    if (!work_read_inner(&work, &run->arena, &in) || !explorer_adopt(&run->explorer, &work))
        return;
    run_ended(run, &run->explorer, explorer_ending(&run->explorer));
    if (run->report.bugs.count > 0 && !run->settings->keep_going)
        coordinator_stop(run->coordinator);
}

/* ---- checkpoints */

/* The bugs that were told, and the search: that of this process, or of others. */
static void checkpoint_make(struct check_run *run, const struct coordinator *coordinator)
{
    struct bytes bytes;
    struct arena scratch;

    CHECK(arena_open(&scratch, ARENA_RESERVE) == 0, "out of memory");
    bytes_open(&bytes, &scratch);
    bytes_number(&bytes, run->report.bugs.count);
    for (uint32_t i = 0; i < run->report.bugs.count; i++) {
        bytes_number(&bytes, run->report.bugs.at[i].kind);
        bytes_number(&bytes, run->report.bugs.at[i].thread);
        bytes_number(&bytes, run->report.bugs.at[i].line);
        bytes_text(&bytes, run->report.bugs.at[i].message);
    }
    if (coordinator) {
        bytes_number(&bytes, CHECKPOINT_TREE);
        coordinator_write(coordinator, &bytes);
    } else {
        checkpoint_write(&run->explorer, &scratch, &bytes);
    }
    checkpoint_file_write(&run->checkpoint, &bytes);
    arena_close(&scratch);
}

static void run_between(void *context, struct explorer *explorer)
{
    struct check_run *run = context;

    (void)explorer;
    if (checkpoint_file_is_due(&run->checkpoint))
        checkpoint_make(run, NULL);
}

static void jobs_keep(void *context, const struct coordinator *coordinator)
{
    checkpoint_make(context, coordinator);
}

static bool jobs_keep_is_due(void *context)
{
    const struct check_run *run = context;

    return checkpoint_file_is_due(&run->checkpoint);
}

/* The bugs come before the search, so it is known by then whether the file is good. */
static bool bugs_read(struct check_run *run, struct bytes_reader *in)
{
    uint32_t count = bytes_read_count(in, 4);

    for (uint32_t i = 0; i < count && !in->failed; i++) {
        struct report_bug bug = {.kind = (uint8_t)bytes_read_below(in, BUG_KIND_COUNT),
                                 .thread = bytes_read_below(in, run->program.thread_count),
                                 .line = bytes_read_below(in, UINT32_MAX),
                                 .file = run->file};

        bug.message = bytes_read_text(in, &run->arena);
        in->failed |= !bug.message;
        vec_push(&run->arena, &run->report.bugs, bug);
    }
    return !in->failed;
}

/* *tree is what is left if the search had several processes. */
static bool checkpoint_load(struct check_run *run, struct checkpoint_search *search,
                            struct bytes_reader *tree)
{
    FILE *out = report_stream(run->settings);
    bool good;

    if (!checkpoint_file_load(&run->checkpoint, tree))
        return false;
    good = bugs_read(run, tree);
    if (good && !checkpoint_is_tree(tree))
        good = checkpoint_read(search, &run->arena, tree);
    if (!good) {
        checkpoint_file_refuse(&run->checkpoint);
        return false;
    }
    for (uint32_t i = 0; i < run->report.bugs.count; i++)
        fprintf(out, "%s:%" PRIu32 ": %s: %s (found before the checkpoint)\n", run->file,
                run->report.bugs.at[i].line, bug_kind_names[run->report.bugs.at[i].kind],
                run->report.bugs.at[i].message);
    return true;
}

/* ---- all of it */

/* Without what a thread got there: that may be something else each time. */
static void run_names(void *context, agent_id agent, const struct op *op, char *text, size_t size)
{
    struct check_run *run = context;
    FILE *out = fmemopen(text, size, "w");

    if (!out)
        return;
    script_describe_op(&run->script, &run->explorer.world, op, 0, NULL, out);
    fputs(" of ", out);
    script_describe_agent(&run->script, &run->explorer.world, agent, out);
    fprintf(out, ", line %" PRIu64, op->site);
    fclose(out);
    text[size - 1] = '\0';
}

/* Explores with other processes; the statistics of all go to the explorer of this one. */
static int jobs_explore(struct check_run *run, struct work *begin, struct bytes_reader *tree)
{
    bool is_tree = checkpoint_is_tree(tree);
    struct subject subject = {.kind = SUBJECT_SCRIPT,
                              .file = run->file,
                              .fingerprint = driver_fingerprint(run->file),
                              .identity = run->identity};
    struct jobs jobs = {.settings = run->settings,
                        .subject = &subject,
                        .identity = run->identity,
                        .work = worker_work,
                        .bug = worker_bug,
                        .keep = run->settings->checkpoint ? jobs_keep : NULL,
                        .keep_is_due = jobs_keep_is_due,
                        .context = run,
                        .begin = is_tree ? NULL : begin,
                        .tree = is_tree ? tree : NULL,
                        .resumed = run->settings->resume != NULL,
                        .coordinator = &run->coordinator};
    int status;

    if (is_tree)
        bytes_read_number(tree); /* that it is one */
    status = jobs_run(&jobs, &run->arena);
    run->explorer.stats = jobs.stats;
    return status;
}

static int run_report(struct check_run *run)
{
    bool complete = !(run->explorer.stats.cut & CUT_LIMITS), drawn;
    int status;

    report_set_stats(&run->report, &run->explorer.stats,
                     run->checkpoint.before + seconds_now() - run->checkpoint.started);
    run->report.threads = run->program.thread_count;
    report_set_contended(&run->report, &run->explorer.contended);
    drawn = tree_file_write(run->settings, &run->tree, run->file);
    if (run->settings->checkpoint && !run->jobs && checkpoint_is_due(&run->explorer))
        checkpoint_make(run, NULL);
    run->report.checkpoint = checkpoint_file_kept(&run->checkpoint, complete);
    status = report_finish(&run->report);
    checkpoint_file_end(&run->checkpoint, complete);
    return drawn ? status : EXIT_STATUS_ENVIRONMENT;
}

static void run_options(struct check_run *run, struct explorer_options *options)
{
    *options = run->settings->search;
    options->ended = run_ended;
    options->names = run_names;
    options->context = run;
    options->forgets = true;
    options->timeout = 0;
    options->brake = interrupt_brake();
    if (run->settings->tree)
        options->takes = run_takes;
    if (run->settings->checkpoint)
        options->between = run_between;
}

static int run_explore(struct check_run *run)
{
    bool resumes = run->settings->resume != NULL, deterministic = true;
    struct explorer_options options;
    struct checkpoint_search search;
    struct bytes_reader tree = {0};
    int status;

    run_options(run, &options);
    interrupt_after(run->settings->search.timeout);
    if (run->settings->tree)
        tree_open(&run->tree, &run->arena, TREE_STATES_MAX);
    report_open(&run->report, &run->arena, run->file, run->settings);
    if (resumes && !checkpoint_load(run, &search, &tree))
        return EXIT_STATUS_USAGE;
    run->jobs = run->settings->jobs || checkpoint_is_tree(&tree);
    if (run->jobs) {
        explorer_open(&run->explorer, &run->arena, &run->script.base, &options);
        status = jobs_explore(run, resumes ? &search.work : NULL, &tree);
        if (status)
            return status;
    } else if (resumes) {
        deterministic =
            checkpoint_go_on(&run->explorer, &run->arena, &run->script.base, &options, &search);
    } else {
        explorer_open(&run->explorer, &run->arena, &run->script.base, &options);
        deterministic = explorer_run(&run->explorer);
    }
    CHECK(deterministic, "a script did not repeat event %u", run->explorer.diverged);
    interrupt_after(0);
    return run_report(run);
}

/* The program in the file. False, after one line on stderr, if there is none. */
static bool script_read(struct check_run *run, uint64_t *hash)
{
    struct read_error error;
    size_t length;
    char *source = input_read(run->file, &length);
    char line[1024];
    bool good;

    if (!source)
        return false;
    good = text_read(source, length, run->file, &run->program, &error);
    if (!good)
        fprintf(stderr, "%s\n", read_error_format(&error, run->file, line, sizeof line));
    *hash = XXH3_64bits(source, length);
    run->identity = (struct work_identity){*hash, work_options_hash(&run->settings->search)};
    free(source);
    return good;
}

static bool script_start(struct check_run *run)
{
    if (arena_open(&run->arena, ARENA_RESERVE) == 0 &&
        script_open(&run->script, &run->program) == 0)
        return true;
    fprintf(stderr, "raddle: %s: out of memory\n", run->file);
    return false;
}

int check_script(const char *file, const struct settings *settings)
{
    struct check_run run = {.file = file, .settings = settings};
    uint64_t hash;
    int status = EXIT_STATUS_ENVIRONMENT;

    if (!script_read(&run, &hash))
        return EXIT_STATUS_USAGE;
    if (!checkpoint_file_open(&run.checkpoint, settings, checkpoint_program(hash, NULL)))
        status = EXIT_STATUS_USAGE;
    else if (script_start(&run))
        status = run_explore(&run);
    if (run.script.program)
        script_close(&run.script);
    checkpoint_file_close(&run.checkpoint);
    arena_close(&run.arena);
    program_free(&run.program);
    return status;
}

void check_script_work(const struct subject *subject, const struct settings *settings,
                       struct link *link, int mail_fd)
{
    static struct check_run run;
    uint64_t hash;

    run.file = subject->file;
    run.settings = settings;
    if (!script_read(&run, &hash) || !script_start(&run))
        _exit(EXIT_STATUS_ENVIRONMENT);
    worker_work(&run, link, mail_fd);
    _exit(0);
}
