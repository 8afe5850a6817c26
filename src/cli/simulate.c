#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cluster/simulation.h"
#include "script/classics.h"
#include "script/target.h"
#include "script/text.h"

/* `raddle simulate`: a search by many workers, in virtual time, on one machine. */

#define ARENA_RESERVE ((size_t)1 << 38)
#define WORKERS_MAX   4096
#define COUNTS_MAX    64

/* What the options say; there is one command in a process. */
static struct {
    uint32_t workers[COUNTS_MAX];
    uint32_t count;
    uint32_t limit;
    double latency, jitter, loss;
    uint64_t seed;
    const char *plot;
} wanted = {.workers = {1, 2, 4, 8, 16, 32, 64}, .count = 7, .limit = 2, .latency = 50e-6};

static const char *set_workers(struct settings *settings, const char *value)
{
    (void)settings;
    wanted.count = 0;
    for (char *end; wanted.count < COUNTS_MAX; value = end + 1) {
        unsigned long number = strtoul(value, &end, 10);

        if (*value < '1' || *value > '9' || number > WORKERS_MAX || (*end && *end != ','))
            break;
        wanted.workers[wanted.count++] = (uint32_t)number;
        if (!*end)
            return NULL;
    }
    return "numbers from 1 to 4096, as 1,2,4,8";
}

static bool seconds_read(const char *value, double scale, double *seconds)
{
    char *end;

    *seconds = strtod(value, &end) * scale;
    return end != value && !*end && *seconds >= 0 && *seconds < 1e6;
}

static const char *set_latency(struct settings *settings, const char *value)
{
    (void)settings;
    return seconds_read(value, 1e-6, &wanted.latency) ? NULL : "a number of microseconds";
}

static const char *set_jitter(struct settings *settings, const char *value)
{
    (void)settings;
    return seconds_read(value, 1e-6, &wanted.jitter) ? NULL : "a number of microseconds";
}

static const char *set_loss(struct settings *settings, const char *value)
{
    (void)settings;
    return seconds_read(value, 1, &wanted.loss) && wanted.loss < 1 ? NULL : "a share from 0 to 1";
}

static const char *set_limit(struct settings *settings, const char *value)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);

    (void)settings;
    if (*value < '0' || *value > '9' || *end || number > 1000000)
        return "a number of branches";
    wanted.limit = (uint32_t)number;
    return NULL;
}

static const char *set_plot(struct settings *settings, const char *value)
{
    (void)settings;
    wanted.plot = value;
    return NULL;
}

static const struct option_row simulate_options[] = {
    {"workers", "N,N,…", "numbers of workers to try (default 1,2,4, … 64)", set_workers},
    {"latency", "US", "microseconds that a message takes (default 50)", set_latency},
    {"jitter", "US", "and up to so many more, by chance (default 0)", set_jitter},
    {"loss", "SHARE", "of runs in which a worker is lost (default 0)", set_loss},
    {"keep", "N", "branches a worker keeps before it gives any away (default 2)", set_limit},
    OPTION_BACKTRACK,
    {"plot", "FILE", "draw the speed-ups as SVG, by gnuplot", set_plot},
    {0},
};

/* ---- programs */

static struct target *script_make(void *of, uint32_t worker, void **context)
{
    struct script *script = malloc(sizeof *script);

    (void)worker;
    if (!script || script_open(script, of) != 0)
        return NULL;
    *context = script;
    return &script->base;
}

static void script_drop(void *of, struct target *target, void *context)
{
    (void)of;
    (void)target;
    script_close(context);
    free(context);
}

/* A file, or a program that papers count executions of: "indexer(16)". */
/* By its name. */
static bool is_script(const char *word)
{
    const char *dot = strrchr(word, '.');

    return dot && strcmp(dot, ".script") == 0;
}

static bool program_read(const char *word, struct program *program)
{
    struct read_error error;
    char name[32], rest, line[1024];
    unsigned n = 0;
    size_t length;
    char *source;
    bool read;

    if (sscanf(word, "%31[a-z](%u)%c", name, &n, &rest) == 2 && classic_build(name, n, program))
        return true;
    source = input_read(word, &length);
    if (!source)
        return false;
    read = text_read(source, length, word, program, &error);
    if (!read && !is_script(word))
        fprintf(stderr,
                "raddle: simulate takes scripts, and %s is none: `raddle check -j N` searches a "
                "program with N workers; docs/scripts.md tells how to write it as a script\n",
                word);
    else if (!read)
        fprintf(stderr, "%s\n", read_error_format(&error, word, line, sizeof line));
    free(source);
    return read;
}

/* Others may have the processor meanwhile. */
static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Seconds that one step takes here, by one search; its executions in *executions. */
static double step_measure(const struct program *program, const struct explorer_options *options,
                           uint64_t *executions)
{
    struct explorer *explorer = malloc(sizeof *explorer);
    struct script script;
    struct arena arena;
    double start, seconds;

    if (!explorer || arena_open(&arena, ARENA_RESERVE) != 0 || script_open(&script, program) != 0)
        exit(EXIT_STATUS_ENVIRONMENT);
    explorer_open(explorer, &arena, &script.base, options);
    start = cpu_seconds();
    explorer_run(explorer);
    seconds = cpu_seconds() - start;
    *executions = explorer->stats.executions;
    seconds /= (double)(explorer->stats.transitions + explorer->execution.replayed + 1);
    script_close(&script);
    arena_close(&arena);
    free(explorer);
    return seconds;
}

/* ---- results */

/* As gnuplot wants it. */
static void quoted_write(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++)
        fprintf(out, *text == '\'' ? "''" : "%c", *text);
    fputc('\'', out);
}

static void plot_write(FILE *out, const char *name, const double *speeds)
{
    fprintf(out, "set terminal svg size 800,600 background 'white'\nset output ");
    quoted_write(out, wanted.plot);
    fprintf(out, "\nset title ");
    quoted_write(out, name);
    fprintf(out, " noenhanced\nset key left top\nset grid\nset logscale xy 2\n"
                 "set xlabel 'workers'\nset ylabel 'speed-up'\n$data << EOD\n");
    for (uint32_t i = 0; i < wanted.count; i++)
        fprintf(out, "%" PRIu32 " %.3f\n", wanted.workers[i], speeds[i]);
    fprintf(out, "EOD\nplot x title 'ideal' linecolor 'gray', "
                 "$data with linespoints pointtype 7 title 'simulated'\n");
}

static bool plot_possible(void)
{
    if (!wanted.plot || system("command -v gnuplot >/dev/null 2>&1") == 0)
        return true;
    fprintf(stderr, "raddle: --plot needs gnuplot, which is not installed (Debian has it as "
                    "gnuplot-nox)\n");
    return false;
}

static bool plot_draw(const char *name, const double *speeds)
{
    FILE *out;

    if (!wanted.plot)
        return true;
    out = popen("gnuplot", "w");
    if (out)
        plot_write(out, name, speeds);
    if (out && pclose(out) == 0)
        return true;
    fprintf(stderr, "raddle: %s cannot be drawn\n", wanted.plot);
    return false;
}

/* Executions a second, or 0 if it went wrong; *result tells the rest. */
static double simulate_one(const struct simulation_options *options, uint64_t executions,
                           struct simulation_result *result)
{
    bool limited;

    if (!simulate(options, result)) {
        fprintf(stderr, "raddle: no memory for the simulation\n");
        return 0;
    }
    limited = result->executions >= options->max_executions;
    if (!result->complete && !limited) {
        fprintf(stderr, "raddle: the simulation did not come to its end: %s\n", result->why);
        return 0;
    }
    if (limited)
        return (double)result->executions / result->seconds;
    if (result->stats.executions != executions && options->search.reduction->races_at_end) {
        fprintf(stderr, "raddle: %" PRIu64 " executions, but one search has %" PRIu64 "\n",
                result->stats.executions, executions);
        return 0;
    }
    return (double)executions / result->seconds;
}

static void result_print(const struct simulation_options *options,
                         const struct simulation_result *result, double speed)
{
    printf("%7" PRIu32 " %10.4f %9.2f %6.1f %% %6.1f %% %7" PRIu64 " %9" PRIu64
           " %6.1f %% %7" PRIu64 " %" PRIu64 "\n",
           options->workers, result->seconds, speed, 100 * speed / options->workers,
           100 * result->busy / result->seconds / options->workers, result->items, result->messages,
           100 * result->coordinator_busy / result->seconds, result->losses,
           result->complete ? result->stats.executions : result->executions);
    fflush(stdout);
}

/* Speed-ups against one worker. False if one went wrong. */
static bool simulate_all(struct simulation_options *options, uint64_t executions, double *speeds)
{
    struct simulation_result result;
    double one = 0;

    for (uint32_t i = 0; i < wanted.count; i++) {
        if (one == 0) {
            options->workers = 1;
            one = simulate_one(options, executions, &result);
        }
        if (wanted.workers[i] == 1) {
            speeds[i] = 1;
        } else {
            options->workers = wanted.workers[i];
            speeds[i] = simulate_one(options, executions, &result) / one;
        }
        if (one == 0 || speeds[i] == 0)
            return false;
        options->workers = wanted.workers[i];
        result_print(options, &result, speeds[i]);
    }
    return true;
}

static int simulate_program(const char *word, const struct settings *settings)
{
    struct simulation_options options = {.search = settings->search,
                                         .limit = wanted.limit,
                                         .seed = settings->search.seed,
                                         .latency = wanted.latency,
                                         .jitter = wanted.jitter,
                                         .message_cost = -1,
                                         .max_executions = settings->search.max_executions,
                                         .loss = wanted.loss,
                                         .max_losses = NO_LIMIT};
    double speeds[COUNTS_MAX];
    int status = EXIT_STATUS_SAFE;
    struct program program;
    uint64_t executions;

    if (!plot_possible())
        return EXIT_STATUS_ENVIRONMENT;
    if (!program_read(word, &program))
        return EXIT_STATUS_USAGE;
    options.program = (struct simulation_program){script_make, script_drop, &program};
    options.step_cost = step_measure(&program, &settings->search, &executions);
    printf("%s: %s%" PRIu64
           " executions, %.0f ns a step\n%7s %10s %9s %8s %8s %7s %9s %8s %7s %s\n",
           word, executions >= options.max_executions ? "the first " : "", executions,
           options.step_cost * 1e9, "workers", "seconds", "speed-up", "of ideal", "busy", "items",
           "messages", "coord.", "losses", "executions");
    if (!simulate_all(&options, executions, speeds) || !plot_draw(word, speeds))
        status = EXIT_STATUS_ENVIRONMENT;
    program_free(&program);
    return status;
}

static int simulate_main(int argc, char **argv)
{
    struct settings settings;
    int count;

    if (!options_read(argc, argv, &subcommand_simulate, &settings, &count))
        return EXIT_STATUS_USAGE;
    if (settings.help) {
        help_subcommand(&subcommand_simulate);
        return EXIT_STATUS_SAFE;
    }
    if (count != 1) {
        fprintf(stderr,
                "raddle: simulate takes one script, not %d; usage: raddle simulate "
                "[OPTIONS] FILE.script\n",
                count);
        return EXIT_STATUS_USAGE;
    }
    if (settings.search.states != STATES_OFF || settings.search.search != &search_explore ||
        settings.search.bound_grows || settings.search.reduction == &reduction_sharing) {
        fprintf(stderr, "raddle: simulate does not go with --stateful, --symmetry, --search, "
                        "--preemption-bound auto or --reduction sharing\n");
        return EXIT_STATUS_USAGE;
    }
    return simulate_program(argv[1], &settings);
}

const struct subcommand subcommand_simulate = {
    .name = "simulate",
    .arguments = "FILE.script",
    .summary = "tell how fast many workers would search a script",
    .about = "Searches a script with the coordinator and the workers of `raddle check --jobs`, in "
             "virtual time: a step costs what it costs here, a message what --latency says. Also "
             "takes the name of a program that papers use: 'filesystem(26)', 'indexer(16)'.",
    .run = simulate_main,
    .mode = OPTIONS_PLAIN,
    .options = simulate_options,
    .suffix = "script",
};
