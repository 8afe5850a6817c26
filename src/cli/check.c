#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/check.h"
#include "cli/cli.h"
#include "model/object.h"
#include "script/describe.h"
#include "script/text.h"

#define ARENA_RESERVE ((size_t)1 << 40)

/* A bug as it is reported: the first run that shows it stands for all. */
struct bug {
    uint8_t kind;    /* enum bug_kind */
    uint32_t thread; /* index into program.threads; a deadlock: the first that is stuck */
    uint32_t line;   /* of the script */
    char message[200];
};

/* One program being checked. */
struct check_run {
    const char *file;
    const struct settings *settings;
    struct program program;
    struct script script;
    struct arena arena;
    struct explorer explorer;
    VEC(struct bug) bugs;
    double seconds;
};

/* ---- what is wrong in the run that just ended */

/* Who keeps the operation from running, as far as its object tells: "held by T1". */
static void describe_holder(struct check_run *run, const struct op *op, FILE *out)
{
    struct world *world = &run->explorer.world;
    uint8_t kind = op_infos[op->kind].object;
    uint64_t state = world_state(world, world_location(world, kind, op->addr));

    if (op->kind == OP_COND_RELOCK && state == 0)
        fputs(": nobody signals", out);
    else if ((kind == OBJECT_MUTEX || kind == OBJECT_SPIN) && state != 0)
        fprintf(out, ", held by %s",
                run->program.threads[script_thread_of(world, (agent_id)state - 1)].name);
    else if (kind == OBJECT_RWLOCK && rwlock_is_written(state))
        fprintf(out, ", held for writing by %s",
                run->program.threads[script_thread_of(world, (agent_id)(state >> 32) - 1)].name);
    else if (kind == OBJECT_RWLOCK && rwlock_readers(state))
        fprintf(out, ", held by %" PRIu32 " readers", rwlock_readers(state));
}

static void print_stuck(struct check_run *run, FILE *out)
{
    struct world *world = &run->explorer.world;

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        const struct thread *thread = &world->threads.at[agent];

        if (world->agents.at[agent].is_buffer || thread->status != THREAD_RUNNING)
            continue;
        fputs("    ", out);
        script_describe_agent(&run->script, world, agent, out);
        fputs(" waits for: ", out);
        script_describe_op(&run->script, world, &thread->pending, 0, NULL, out);
        describe_holder(run, &thread->pending, out);
        fprintf(out, " (line %" PRIu32 ")\n", thread->pending.site);
    }
}

static void print_run(struct check_run *run, FILE *out)
{
    const struct execution *x = &run->explorer.execution;

    fprintf(out, "  the run that shows it:\n");
    for (event_id id = 0; id < x->events.count; id++) {
        const struct event *event = &x->events.at[id];

        fprintf(out, "    %3" PRIu32 "  line %-4" PRIu32 " ", id + 1, event->op.site);
        script_describe_agent(&run->script, &run->explorer.world, event->agent, out);
        fputs(": ", out);
        script_describe_op(&run->script, &run->explorer.world, &event->op, event->outcome,
                           &event->result, out);
        fputc('\n', out);
    }
}

static bool bug_is_new(const struct check_run *run, const struct bug *bug)
{
    for (uint32_t i = 0; i < run->bugs.count; i++)
        if (run->bugs.at[i].kind == bug->kind && run->bugs.at[i].line == bug->line &&
            run->bugs.at[i].thread == bug->thread)
            return false;
    return true;
}

static void bug_report(struct check_run *run, const struct bug *bug)
{
    FILE *out = run->settings->json && strcmp(run->settings->json, "-") == 0 ? stderr : stdout;

    if (!bug_is_new(run, bug))
        return;
    vec_push(&run->arena, &run->bugs, *bug);
    fprintf(out, "%s:%" PRIu32 ": %s: %s\n", run->file, bug->line, bug_kind_names[bug->kind],
            bug->message);
    if (bug->kind == BUG_DEADLOCK)
        print_stuck(run, out);
    print_run(run, out);
}

static void finding_report(struct check_run *run, const struct finding *finding)
{
    const struct event *event = &run->explorer.execution.events.at[finding->event];
    struct bug bug = {.kind = finding->bug,
                      .thread = script_thread_of(&run->explorer.world, event->agent),
                      .line = event->op.site};
    const char *thread = run->program.threads[bug.thread].name;

    if (finding->rule)
        snprintf(bug.message, sizeof bug.message, "%s: %s", thread, finding->rule);
    else
        snprintf(bug.message, sizeof bug.message, "the assertion of thread %s fails", thread);
    bug_report(run, &bug);
}

static void deadlock_report(struct check_run *run)
{
    const struct world *world = &run->explorer.world;
    struct bug bug = {.kind = BUG_DEADLOCK};

    for (uint32_t i = world->active.count; i-- > 0;) {
        agent_id agent = world->active.at[i];

        if (world->agents.at[agent].is_buffer || world->threads.at[agent].status != THREAD_RUNNING)
            continue;
        bug.thread = script_thread_of(world, agent);
        bug.line = world->threads.at[agent].pending.site;
    }
    snprintf(bug.message, sizeof bug.message, "no thread can go on");
    bug_report(run, &bug);
}

static bool run_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct check_run *run = context;

    if (ending == ENDING_DEADLOCK)
        deadlock_report(run);
    for (uint32_t i = 0; i < explorer->execution.findings.count; i++)
        finding_report(run, &explorer->execution.findings.at[i]);
    return run->bugs.count == 0 || run->settings->keep_going;
}

/* ---- the verdict */

/* Stopping at the first bug is what was asked for, no reason to call the verdict incomplete. */
static uint32_t run_cut(const struct check_run *run)
{
    return run->explorer.stats.cut & ~(uint32_t)CUT_STOPPED;
}

static const char *run_verdict(const struct check_run *run)
{
    if (run->bugs.count)
        return "bug";
    return run_cut(run) ? "incomplete" : "safe";
}

static json_t *json_bugs(const struct check_run *run)
{
    json_t *bugs = json_array();

    for (uint32_t i = 0; i < run->bugs.count; i++) {
        const struct bug *bug = &run->bugs.at[i];

        json_array_append_new(bugs, json_pack("{s:s, s:s, s:s, s:i, s:i, s:n}", "kind",
                                              bug_kind_names[bug->kind], "message", bug->message,
                                              "file", run->file, "line", (int)bug->line, "thread",
                                              (int)bug->thread, "trace"));
    }
    return bugs;
}

static json_t *json_report(const struct check_run *run)
{
    const struct explorer_stats *stats = &run->explorer.stats;
    json_t *reasons = json_array();
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    for (uint32_t bit = 1; bit && bit <= run_cut(run); bit <<= 1)
        if (run_cut(run) & bit)
            json_array_append_new(reasons, json_string(cut_reason_text(bit)));
    return json_pack(
        "{s:s, s:o, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:o}", "verdict",
        run_verdict(run), "reasons", reasons, "model", run->settings->search.memory->name,
        "reduction", run->settings->search.reduction->name, "executions",
        (json_int_t)stats->executions, "blocked", (json_int_t)(stats->asleep + stats->assumes),
        "transitions", (json_int_t)stats->transitions, "states", (json_int_t)0, "revisited",
        (json_int_t)0, "symmetric", (json_int_t)0, "threads", (json_int_t)run->program.thread_count,
        "seconds", run->seconds, "peak_rss_bytes", (json_int_t)usage.ru_maxrss * 1024, "bugs",
        json_bugs(run));
}

static bool json_write(const struct check_run *run)
{
    bool to_stdout = strcmp(run->settings->json, "-") == 0;
    FILE *out = to_stdout ? stdout : fopen(run->settings->json, "w");
    json_t *report = json_report(run);
    bool ok = out && report && json_dumpf(report, out, JSON_INDENT(2)) == 0;

    ok = ok && fputc('\n', out) != EOF;
    if (out && !to_stdout)
        ok = fclose(out) == 0 && ok;
    json_decref(report);
    if (!ok)
        fprintf(stderr, "raddle: %s: cannot be written\n", run->settings->json);
    return ok;
}

static int run_report(const struct check_run *run)
{
    const struct explorer_stats *stats = &run->explorer.stats;
    FILE *out = run->settings->json && strcmp(run->settings->json, "-") == 0 ? stderr : stdout;
    char reasons[400];

    fprintf(out, "%s: %s", run->file, run_verdict(run));
    if (run_cut(run))
        fprintf(out, " (%s)", cut_reasons_text(run_cut(run), reasons, sizeof reasons));
    fprintf(out, ": %" PRIu64 " executions", stats->executions);
    if (stats->asleep + stats->assumes)
        fprintf(out, ", %" PRIu64 " given up", stats->asleep + stats->assumes);
    fprintf(out, ", %" PRIu64 " transitions, model %s, reduction %s, %.2f s\n", stats->transitions,
            run->settings->search.memory->name, run->settings->search.reduction->name,
            run->seconds);
    if (run->settings->json && !json_write(run))
        return EXIT_STATUS_ENVIRONMENT;
    if (run->bugs.count)
        return EXIT_STATUS_BUG;
    return run_cut(run) ? EXIT_STATUS_INCOMPLETE : EXIT_STATUS_SAFE;
}

/* ---- the subcommand */

static int run_explore(struct check_run *run)
{
    struct explorer_options options = run->settings->search;
    double start = seconds_now();
    bool deterministic;

    options.ended = run_ended;
    options.context = run;
    explorer_open(&run->explorer, &run->arena, &run->script.base, &options);
    deterministic = explorer_run(&run->explorer);
    CHECK(deterministic, "a script did not repeat event %u", run->explorer.diverged);
    run->seconds = seconds_now() - start;
    return run_report(run);
}

static int check_file(const char *file, const struct settings *settings)
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

static const char *set_json(struct settings *settings, const char *value)
{
    settings->json = value;
    return NULL;
}

static const char *set_keep_going(struct settings *settings, const char *value)
{
    (void)value;
    settings->keep_going = true;
    return NULL;
}

static const struct option_row check_options[] = {
    {"keep-going", NULL, "do not stop at the first bug", set_keep_going},
    {"json", "FILE", "write the result as JSON, - for standard output", set_json},
    {0},
};

static int check_main(int argc, char **argv)
{
    struct settings settings;
    int files;

    if (!options_read(argc, argv, check_options, &settings, &files))
        return EXIT_STATUS_USAGE;
    if (settings.help) {
        options_help(
            &subcommand_check,
            "Runs a scripted program (docs/scripts.md) under every interleaving that matters, and\n"
            "says whether one breaks it: a failed assertion, a deadlock, a misused lock.",
            check_options);
        return EXIT_STATUS_SAFE;
    }
    if (files != 1) {
        fprintf(stderr,
                "raddle: check takes one program, not %d; usage: raddle check [OPTIONS] "
                "FILE.script\n",
                files);
        return EXIT_STATUS_USAGE;
    }
    return check_file(argv[1], &settings);
}

const struct subcommand subcommand_check = {"check", "FILE.script", "explore a scripted program",
                                            check_main};
