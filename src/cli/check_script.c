#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "cli/check.h"
#include "cli/report.h"
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
};

/* ---- what is wrong in the run that just ended */

/* Who keeps the operation from running, as far as its object tells: "held by T1". */
static void describe_holder(struct check_run *run, const struct op *op, FILE *out)
{
    struct world *world = &run->shorter.world;
    uint8_t kind = op_infos[op->kind].object;
    uint64_t state = world_state(world, world_location(world, kind, op->addr)) & OBJECT_USE;
    uint32_t readers;

    if ((kind == OBJECT_MUTEX || kind == OBJECT_SPIN) && state != 0)
        fprintf(out, ", held by %s",
                run->program.threads[script_thread_of(world, (uint32_t)state - 1)].name);
    else if (kind == OBJECT_RWLOCK && rwlock_writer(state))
        fprintf(out, ", held for writing by %s",
                run->program.threads[script_thread_of(world, (agent_id)(state >> 32) - 1)].name);
    if (kind != OBJECT_RWLOCK || rwlock_writer(state))
        return;
    waiters_members(&world->waiters, rwlock_readers(state), &readers);
    if (readers)
        fprintf(out, ", held by %" PRIu32 " readers", readers);
}

/* The thread waits at a condition: its last operation says which. */
static void describe_wait(struct check_run *run, agent_id agent, FILE *out)
{
    const struct execution *x = &run->shorter.execution;
    uint32_t last = x->events.count;

    while (last-- > 0 && x->events.at[last].agent != agent)
        continue;
    if (last != UINT32_MAX)
        script_describe_op(&run->script, &run->shorter.world, &x->events.at[last].op, 0, NULL, out);
    fputs(": nobody signals", out);
}

static void print_stuck(struct check_run *run, FILE *out)
{
    struct world *world = &run->shorter.world;

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        const struct thread *thread = &world->threads.at[agent];

        if (world->agents.at[agent].is_buffer || thread->status != THREAD_RUNNING)
            continue;
        fputs("    ", out);
        script_describe_agent(&run->script, world, agent, out);
        fputs(" waits for: ", out);
        if (thread->pending.kind == OP_COND_RELOCK && !thread->woken) {
            describe_wait(run, agent, out);
        } else {
            script_describe_op(&run->script, world, &thread->pending, 0, NULL, out);
            describe_holder(run, &thread->pending, out);
        }
        fprintf(out, " (line %" PRIu64 ")\n", thread->pending.site);
    }
}

static void print_run(struct check_run *run, FILE *out)
{
    const struct execution *x = &run->shorter.execution;

    fprintf(out, "  the run that shows it:\n");
    for (event_id id = 0; id < x->events.count; id++) {
        const struct event *event = &x->events.at[id];

        fprintf(out, "    %3" PRIu32 "  line %-4" PRIu64 " ", id + 1, event->op.site);
        script_describe_agent(&run->script, &run->shorter.world, event->agent, out);
        fputs(": ", out);
        script_describe_op(&run->script, &run->shorter.world, &event->op, event->outcome,
                           &event->result, out);
        fputc('\n', out);
    }
}

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
    const struct finding *first = x->findings.at;

    if (bug->kind == BUG_DEADLOCK)
        return ending == ENDING_DEADLOCK;
    return x->findings.count > 0 && first->bug == bug->kind &&
           x->events.at[first->event].op.site == bug->line;
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
    explorer_open(&run->shorter, &run->arena, &run->script.base, &options);
    run_repeat(&run->shorter, &run->explorer);
    if (goal.seconds > 0)
        CHECK(minimise(&run->shorter, &goal, &result), "a script did not fail again");
}

static void bug_report(struct check_run *run, const struct report_bug *bug)
{
    FILE *out = report_stream(run->settings);

    if (!bug_is_new(run, bug))
        return;
    run_shorten(run, bug);
    vec_push(&run->arena, &run->report.bugs, *bug);
    vec_last(&run->report.bugs).message = report_text(&run->report, bug->message);
    fprintf(out, "%s:%" PRIu32 ": %s: %s\n", run->file, bug->line, bug_kind_names[bug->kind],
            bug->message);
    if (bug->kind == BUG_DEADLOCK)
        print_stuck(run, out);
    print_run(run, out);
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

static void deadlock_report(struct check_run *run)
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

static int run_explore(struct check_run *run)
{
    struct explorer_options options = run->settings->search;
    double start = seconds_now();
    bool deterministic, drawn;
    int status;

    options.ended = run_ended;
    options.context = run;
    options.forgets = true;
    if (run->settings->tree) {
        options.takes = run_takes;
        tree_open(&run->tree, &run->arena, TREE_STATES_MAX);
    }
    report_open(&run->report, &run->arena, run->file, run->settings);
    explorer_open(&run->explorer, &run->arena, &run->script.base, &options);
    deterministic = explorer_run(&run->explorer);
    CHECK(deterministic, "a script did not repeat event %u", run->explorer.diverged);
    report_set_stats(&run->report, &run->explorer.stats, seconds_now() - start);
    run->report.threads = run->program.thread_count;
    drawn = tree_file_write(run->settings, &run->tree, run->file);
    status = report_finish(&run->report);
    return drawn ? status : EXIT_STATUS_ENVIRONMENT;
}

int check_script(const char *file, const struct settings *settings)
{
    struct check_run run = {.file = file, .settings = settings};
    struct read_error error;
    size_t length;
    char *source = input_read(file, &length);
    char line[1024];
    int status = EXIT_STATUS_ENVIRONMENT;

    if (!source)
        return EXIT_STATUS_USAGE;
    if (!text_read(source, length, file, &run.program, &error)) {
        fprintf(stderr, "%s\n", read_error_format(&error, file, line, sizeof line));
        free(source);
        return EXIT_STATUS_USAGE;
    }
    free(source);
    if (arena_open(&run.arena, ARENA_RESERVE) != 0 || script_open(&run.script, &run.program) != 0)
        fprintf(stderr, "raddle: %s: out of memory\n", file);
    else
        status = run_explore(&run);
    if (run.script.program)
        script_close(&run.script);
    arena_close(&run.arena);
    program_free(&run.program);
    return status;
}
