#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "cli/native.h"

static bool verbose, gdb;
static char *const *gdb_arguments; /* after "--" */

static const char *set_verbose(struct settings *settings, const char *value)
{
    (void)settings;
    (void)value;
    verbose = true;
    return NULL;
}

static const char *set_gdb(struct settings *settings, const char *value)
{
    (void)settings;
    (void)value;
    gdb = true;
    return NULL;
}

static const struct option_row replay_options[] = {
    {"gdb", NULL, "debug it, an OS thread a thread; gdb's options after --", set_gdb},
    {"verbose", NULL, "print each step with its source line", set_verbose},
    {0},
};

/* Words "key=value", both in hexadecimal. */
static void facts_read(struct native_case *run, const char *words)
{
    while (words && *words) {
        struct session_fact fact;
        char *end;

        fact.key = strtoull(words, &end, 16);
        if (*end != '=')
            return;
        fact.value = (uint32_t)strtoul(end + 1, &end, 16);
        vec_push(&run->arena, &run->facts, fact);
        words = *end == ',' ? end + 1 : NULL;
    }
}

/* What a replay needs, out of a trace. */
static void case_of_trace(struct native_case *run, const struct trace *trace)
{
    const char *stacks = trace_option(trace, "shared-stacks");
    const char *commutes = trace_option(trace, "commutes");
    const char *cancels = trace_option(trace, "cancels");
    const char *joins = trace_option(trace, "tries-to-join");
    const char *locks = trace_option(trace, "tries-to-lock");
    const char *rounds = trace_option(trace, "rounds");
    const char *exposed = trace_option(trace, "exposed");

    memset(run, 0, sizeof *run);
    CHECK(arena_open(&run->arena, (size_t)1 << 32) == 0, "out of memory");
    for (uint8_t kind = 0; kind < BUG_KIND_COUNT; kind++)
        if (strcmp(bug_kind_names[kind], trace->bug.kind) == 0)
            run->bug.kind = kind;
    run->bug.message = trace->bug.message;
    run->bug.thread = trace->bug.thread;
    run->bug.site =
        (struct session_site){.file = trace->bug.site.file, .line = trace->bug.site.line};
    for (uint32_t i = 0; i < trace->threads.count; i++)
        vec_push(&run->arena, &run->threads,
                 (struct session_thread){.parent = trace->threads.at[i].parent,
                                         .rank = trace->threads.at[i].rank});
    run->bug.commutes = commutes ? (uint8_t)strtoul(commutes, NULL, 10) : 0;
    run->cancels = cancels && *cancels == '1';
    run->tries_to_join = joins && *joins == '1';
    run->tries_to_lock = locks && *locks == '1';
    run->rounds = rounds && strcmp(rounds, "all") != 0;
    run->informal = rounds && strcmp(rounds, "informal") == 0;
    for (; stacks && *stacks; stacks++)
        vec_push(&run->arena, &run->shared_stacks, *stacks == '1');
    while (exposed && *exposed) {
        vec_push(&run->arena, &run->exposed, strtoull(exposed, NULL, 16));
        exposed += strcspn(exposed, ",");
        exposed += *exposed == ',';
    }
    facts_read(run, trace_option(trace, "facts"));
    for (uint32_t i = 0; i < trace->steps.count; i++) {
        const struct trace_step *step = &trace->steps.at[i];

        if (step->plain)
            continue;
        vec_push(&run->arena, &run->schedule,
                 (struct session_choice){.thread = step->thread,
                                         .is_buffer = step->is_buffer,
                                         .addr = step->addr,
                                         .outcome = step->outcome});
    }
}

static bool option_is_set(const struct trace *trace, const char *name)
{
    const char *value = trace_option(trace, name);

    return value && strcmp(value, "1") == 0;
}

static bool settings_of_trace(struct settings *settings, const struct trace *trace)
{
    const char *nondet = trace_option(trace, "nondet-max");
    const char *spurious = trace_option(trace, "spurious-wakeups");

    const char *races = trace_option(trace, "races");

    settings->races = !races || strcmp(races, "ignore") != 0;
    settings->exit_is_bug = option_is_set(trace, "exit-is-bug");
    settings->leaks = option_is_set(trace, "leaks");
    settings->search.memory = memory_find(trace->model);
    settings->search.buffer_bound = trace->buffer_bound;
    settings->search.spurious_bound = spurious ? (uint32_t)strtoul(spurious, NULL, 10) : 0;
    settings->nondet_max = nondet ? (uint32_t)strtoul(nondet, NULL, 10) : 1;
    return settings->search.memory != NULL;
}

static void steps_print(const struct native_case *run)
{
    char name[200];

    for (uint32_t i = 0; i < run->steps.count; i++) {
        const struct session_step *step = &run->steps.at[i];

        printf("%5" PRIu32 "  %s%s  ", i + 1,
               thread_words(run->threads.at, run->threads.count, step->choice.thread, name,
                            sizeof name),
               step->choice.is_buffer ? ", its store buffer" : "");
        if (step->site.file)
            printf("%s:%" PRIu32 "  ", step->site.file, step->site.line);
        printf("%s%s\n", step->text, step->buffered ? " (buffered)" : "");
    }
}

static int replay_run(const struct trace *trace, struct settings *settings, const char *program,
                      char *const *argv)
{
    struct native_case found, again;
    const char *problem;
    char whose[220];
    int status = EXIT_STATUS_ENVIRONMENT;

    case_of_trace(&found, trace);
    if (gdb)
        status = native_debug(program, argv, settings, &found, gdb_arguments);
    else if (native_replay_case(program, argv, settings, &found, &again, &problem)) {
        if (problem) {
            fprintf(stderr, "raddle: the run went another way: %s\n", problem);
            status = EXIT_STATUS_INCOMPLETE;
        } else {
            if (verbose)
                steps_print(&again);
            if (again.output.count)
                fwrite(again.output.at, 1, again.output.count, stdout);
            printf("%s: %s%s\n", bug_kind_names[again.bug.kind], again.bug.message,
                   native_case_whose(&again, &again.bug, whose, sizeof whose));
            if (again.bug.detail)
                printf("%s", again.bug.detail);
            status = EXIT_STATUS_BUG;
            native_case_free(&again);
        }
    }
    native_case_free(&found);
    return status;
}

/* ---- why two threads are not interchangeable */

static void differences_print(const struct native_case *again, const struct settings *settings)
{
    const char *const *at = again->differences.at;
    uint32_t count = again->differences.count;

    printf("threads %" PRIu32 " and %" PRIu32 ":\n", settings->compared[0], settings->compared[1]);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1;
             end < count &&
             (at[end] == at[first] || (at[end] && at[first] && !strcmp(at[end], at[first])));)
            end++;
        if (first + 1 == count)
            printf("  at the end: ");
        else if (first + 1 == end)
            printf("  before step %" PRIu32 ": ", first + 1);
        else
            printf("  before steps %" PRIu32 " to %" PRIu32 ": ", first + 1,
                   end == count ? end - 1 : end);
        printf("%s\n", at[first] ? at[first] : "interchangeable");
    }
    if (again->told_apart)
        printf(
            "Others tell them apart: one of them is joined, cancelled or detached, and something "
            "is done before that is done to the other. So --symmetry tries both.\n");
}

static int compare_run(const struct trace *trace, const struct settings *settings,
                       const char *program, char *const *argv)
{
    struct native_case found, again;
    const char *problem;
    int status = EXIT_STATUS_ENVIRONMENT;

    case_of_trace(&found, trace);
    if (native_replay_case(program, argv, settings, &found, &again, &problem)) {
        if (problem) {
            fprintf(stderr, "raddle: the run went another way: %s\n", problem);
            status = EXIT_STATUS_INCOMPLETE;
        } else {
            differences_print(&again, settings);
            status = EXIT_STATUS_SAFE;
            native_case_free(&again);
        }
    }
    native_case_free(&found);
    return status;
}

/* ---- files */

/* Whether the run can be done again with that program; if not, after a line on stderr. */
static bool trace_fits(const struct trace *trace, const char *file, const char *program,
                       struct settings *settings)
{
    if (!settings_of_trace(settings, trace)) {
        fprintf(stderr, "raddle: %s: unknown memory model '%s'\n", file, trace->model);
        return false;
    }
    if (!driver_accepts(program))
        return false;
    if (driver_fingerprint(program) == trace->build)
        return true;
    fprintf(stderr, "raddle: %s: was recorded with another build of %s; check that one again\n",
            file, program);
    return false;
}

int replay_trace(const struct trace *trace, const char *file, const char *program,
                 struct settings *settings)
{
    char **arguments;
    char *const *argv;
    int status;

    if (!program)
        program = trace->program;
    if (!trace_fits(trace, file, program, settings))
        return EXIT_STATUS_USAGE;
    arguments = calloc(trace->arguments.count + 1, sizeof *arguments);
    CHECK(arguments, "out of memory");
    for (uint32_t i = 0; i < trace->arguments.count; i++)
        arguments[i] = (char *)trace->arguments.at[i];
    argv = native_argv(program, arguments);
    status = settings->compares ? compare_run(trace, settings, program, argv)
                                : replay_run(trace, settings, program, argv);
    free((void *)argv);
    free(arguments);
    return status;
}

static int replay_file(const char *file, const char *program, struct settings *settings)
{
    struct trace trace;
    struct trace_error error;
    size_t length;
    char *text = input_read(file, &length);
    char line[600];
    bool ok;
    int status;

    if (!text)
        return EXIT_STATUS_USAGE;
    ok = trace_read(text, length, &trace, &error);
    free(text);
    if (!ok) {
        fprintf(stderr, "raddle: %s\n", trace_error_format(&error, file, line, sizeof line));
        return EXIT_STATUS_USAGE;
    }
    status = replay_trace(&trace, file, program, settings);
    trace_free(&trace);
    return status;
}

static int replay_main(int argc, char **argv)
{
    struct settings settings;
    int files;

    gdb_arguments = &argv[argc];
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            gdb_arguments = &argv[i + 1];
            argc = i;
        }
    if (!options_read(argc, argv, &subcommand_replay, &settings, &files))
        return EXIT_STATUS_USAGE;
    if (settings.help) {
        help_subcommand(&subcommand_replay);
        return EXIT_STATUS_SAFE;
    }
    if (*gdb_arguments && !gdb) {
        fprintf(stderr, "raddle: arguments after -- go with --gdb; usage: raddle replay [OPTIONS] "
                        "FILE.raddle [PROGRAM]\n");
        return EXIT_STATUS_USAGE;
    }
    if (files < 1 || files > 2) {
        fprintf(stderr,
                "raddle: replay takes one trace; usage: raddle replay [OPTIONS] FILE.raddle "
                "[PROGRAM]\n");
        return EXIT_STATUS_USAGE;
    }
    return replay_file(argv[1], files == 2 ? argv[2] : NULL, &settings);
}

const struct subcommand subcommand_replay = {
    .name = "replay",
    .arguments = "FILE.raddle [PROGRAM] [-- GDB-ARGS…]",
    .summary = "do a recorded run again",
    .about =
        "Does a recorded run again, as often as wanted; it ends in the same bug. PROGRAM says "
        "where the program is now, if it has moved. Exit status: 1 the bug showed again, 2 the "
        "trace cannot be used, 3 the run went another way.",
    .run = replay_main,
    .mode = OPTIONS_OWN,
    .options = replay_options,
    .suffix = "raddle",
};
