#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/samples.h"
#include "explore/signature.h"
#include "script/litmus_report.h"
#include "script/target.h"

#define ARENA_RESERVE ((size_t)1 << 40)

#define REASONS_SIZE 1000

/* One test being run. */
struct litmus_run {
    struct litmus litmus;
    struct script script;
    struct arena arena;
    struct explorer explorer;
    struct litmus_report *report;
    bool failed; /* some run got stuck, or accessed what does not exist: it has no final state */
};

static int64_t run_value(void *context, const struct litmus_location *location)
{
    const struct litmus_run *run = context;
    const struct decl *decls = run->litmus.program.decls;

    if (location->kind == LITMUS_REGISTER)
        return script_reg(&run->script, location->thread, location->reg);
    if (location->kind == LITMUS_CELL)
        return script_cell(&run->script, location->decl, location->index);
    return (int64_t)(script_address(&run->script, location->decl) +
                     (uint64_t)location->index * decls[location->decl].size);
}

static bool run_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct litmus_run *run = context;
    bool complete = ending == ENDING_DONE || ending == ENDING_DEADLOCK;

    if (explorer_run_failed(explorer, ending))
        run->failed = true;
    else if (complete && explorer->execution.failed_assumes.count == 0)
        litmus_report_add(run->report, run_value, run, execution_signature(&explorer->execution));
    return true;
}

/* What they are worth, and why there are not more. */
static const char *samples_reasons(const struct explorer_options *options,
                                   const struct explorer_stats *stats, char reasons[REASONS_SIZE])
{
    uint32_t others = stats->cut & ~(uint32_t)(CUT_SAMPLED | CUT_STOPPED);
    size_t used = strlen(samples_text(options, stats, reasons, REASONS_SIZE - 2));

    if (others) {
        memcpy(reasons + used, "; ", 3);
        cut_reasons_text(others, reasons + used + 2, REASONS_SIZE - used - 2);
    }
    return reasons;
}

/* Runs that are made twice would be counted twice. */
static bool takes_no_turns(const struct settings *settings)
{
    if (settings->search.search != &search_auto)
        return true;
    fprintf(stderr, "raddle: litmus takes --search explore, random, pct or pos, not auto\n");
    return false;
}

static void run_explore(struct litmus_run *run, const struct settings *settings)
{
    struct explorer_options options = settings->search;
    bool samples = search_samples(options.search), deterministic;
    char reasons[REASONS_SIZE], way[40];
    struct litmus_summary summary = {.model = options.memory->name, .way = way};
    double start = seconds_now();

    snprintf(way, sizeof way, "%s %s", samples ? "search" : "reduction",
             samples ? options.search->name : options.reduction->name);
    options.commutes = 0;  /* each order of writes is an execution of its own there */
    options.clocks = true; /* the signature of a run is made from its accesses */
    options.ended = run_ended;
    options.context = run;
    options.timeout = 0;
    options.brake = interrupt_brake();
    interrupt_after(settings->search.timeout);
    explorer_open(&run->explorer, &run->arena, &run->script.base, &options);
    deterministic = explorer_run(&run->explorer);
    CHECK(deterministic, "a litmus test did not repeat event %u", run->explorer.diverged);
    interrupt_after(0);
    summary.executions = run->explorer.stats.executions;
    summary.seconds = seconds_now() - start;
    if (run->failed)
        summary.incomplete = "a run got stuck or accessed what does not exist";
    else if (samples)
        summary.incomplete = samples_reasons(&options, &run->explorer.stats, reasons);
    else if (run->explorer.stats.cut)
        summary.incomplete = cut_reasons_text(run->explorer.stats.cut, reasons, sizeof reasons);
    litmus_report_print(run->report, &summary, run_value, run, stdout);
}

/* Reads, explores and reports one test; the exit status it asks for. */
static int litmus_file(const char *file, const struct settings *settings)
{
    struct litmus_run run = {0};
    struct read_error error;
    size_t length;
    char *source = input_read(file, &length);
    char line[1024];
    int status = EXIT_STATUS_ENVIRONMENT;

    if (!source)
        return EXIT_STATUS_USAGE;
    if (!litmus_read(source, length, file, &run.litmus, &error)) {
        fprintf(stderr, "%s\n", read_error_format(&error, file, line, sizeof line));
        free(source);
        return EXIT_STATUS_USAGE;
    }
    free(source);
    run.report = litmus_report_open(&run.litmus);
    if (arena_open(&run.arena, ARENA_RESERVE) != 0 ||
        script_open(&run.script, &run.litmus.program) != 0) {
        fprintf(stderr, "raddle: %s: out of memory\n", file);
    } else {
        run_explore(&run, settings);
        status = run.explorer.stats.cut || run.failed ? EXIT_STATUS_INCOMPLETE : EXIT_STATUS_SAFE;
    }
    litmus_report_close(run.report);
    if (run.script.program)
        script_close(&run.script);
    arena_close(&run.arena);
    litmus_free(&run.litmus);
    return status;
}

static int litmus_left_out(const char *file)
{
    fprintf(stderr, "raddle: %s: was not run: interrupted\n", file);
    return EXIT_STATUS_INCOMPLETE;
}

static int litmus_main(int argc, char **argv)
{
    struct settings settings;
    int files, worst = EXIT_STATUS_SAFE;

    if (!options_read(argc, argv, &subcommand_litmus, &settings, &files) ||
        !takes_no_turns(&settings))
        return EXIT_STATUS_USAGE;
    if (settings.help) {
        help_subcommand(&subcommand_litmus);
        return EXIT_STATUS_SAFE;
    }
    if (files == 0) {
        fprintf(stderr, "raddle: no litmus test given; usage: raddle litmus [OPTIONS] FILE…\n");
        return EXIT_STATUS_USAGE;
    }
    interrupt_open();
    /* all of them are run; a file that cannot be read outweighs one that is incomplete */
    for (int i = 1; i <= files; i++) {
        int status = interrupt_asked() ? litmus_left_out(argv[i]) : litmus_file(argv[i], &settings);

        fflush(stdout);
        if (worst == EXIT_STATUS_SAFE || status == EXIT_STATUS_ENVIRONMENT ||
            (status == EXIT_STATUS_USAGE && worst != EXIT_STATUS_ENVIRONMENT))
            worst = status;
    }
    return worst;
}

const struct subcommand subcommand_litmus = {
    .name = "litmus",
    .arguments = "FILE.litmus…",
    .summary = "run litmus tests under sc, tso or pso",
    .about = "Runs litmus tests in the formats of herd7 (X86, X86_64 and C) and prints what herd7 "
             "prints. Exit status: 0 all were explored, 2 some could not be read, 3 some were not "
             "explored completely.",
    .run = litmus_main,
    .mode = OPTIONS_PLAIN,
    .suffix = "litmus",
};
