#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* Samples, if nothing says when to stop. */
#define RUNS_DEFAULT 10000

/* A whole number from 0 to `max`; false if it is anything else. */
static bool number_read(const char *text, uint64_t max, uint64_t *number)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *number <= max;
}

static const char *set_model(struct settings *settings, const char *value)
{
    settings->search.memory = memory_find(value);
    return settings->search.memory ? NULL : "sc, tso or pso";
}

static const char *set_reduction(struct settings *settings, const char *value)
{
    settings->search.reduction = reduction_find(value);
    settings->reduction_given = true;
    return settings->search.reduction ? NULL : "optimal, source, dpor, sharing or exhaustive";
}

static const struct {
    const char *name;
    enum states_kind kind;
} states_kinds[] = {
    {"off", STATES_OFF}, {"delta", STATES_DELTA}, {"exact", STATES_EXACT}, {"auto", STATES_AUTO}};

/* Runs of a search after which --stateful=auto begins: with fewer there is nothing to gain. */
#define STATES_AFTER 2000

/* States after which it ends, if hardly any run has stopped at one. */
#define STATES_TRIAL 50000

static const char *set_stateful(struct settings *settings, const char *value)
{
    for (size_t i = 0; i < sizeof states_kinds / sizeof *states_kinds; i++)
        if (strcmp(states_kinds[i].name, value) == 0) {
            settings->search.states = states_kinds[i].kind;
            return NULL;
        }
    return "off, delta, exact or auto";
}

static const char *set_search(struct settings *settings, const char *value)
{
    settings->search.search = search_find(value);
    return settings->search.search ? NULL : "explore, random, pct or pos";
}

static const char *set_bound(uint32_t *bound, const char *value)
{
    uint64_t number;

    if (!number_read(value, 1000000, &number))
        return "a number from 0 to 1000000";
    *bound = (uint32_t)number;
    return NULL;
}

static const char *set_buffer_bound(struct settings *settings, const char *value)
{
    return set_bound(&settings->search.buffer_bound, value);
}

static const char *set_preemption_bound(struct settings *settings, const char *value)
{
    settings->search.bound_grows = strcmp(value, "auto") == 0;
    if (settings->search.bound_grows)
        settings->search.preemption_bound = 0;
    else if (set_bound(&settings->search.preemption_bound, value))
        return "a number from 0 to 1000000, or auto";
    return NULL;
}

static const char *set_spurious_wakeups(struct settings *settings, const char *value)
{
    return set_bound(&settings->search.spurious_bound, value);
}

static const char *set_limit(uint64_t *limit, const char *value)
{
    if (!number_read(value, UINT64_MAX - 1, limit) || *limit == 0)
        return "a number from 1 on";
    return NULL;
}

static const char *set_max_steps(struct settings *settings, const char *value)
{
    return set_limit(&settings->search.max_steps, value);
}

static const char *set_max_executions(struct settings *settings, const char *value)
{
    return set_limit(&settings->search.max_executions, value);
}

static const char *set_runs(struct settings *settings, const char *value)
{
    return set_limit(&settings->search.runs, value);
}

static const char *set_depth(struct settings *settings, const char *value)
{
    uint64_t depth;

    if (!number_read(value, 100, &depth) || depth == 0)
        return "a number from 1 to 100";
    settings->search.depth = (uint32_t)depth;
    return NULL;
}

static const char *set_max_memory(struct settings *settings, const char *value)
{
    uint64_t mebibytes;

    if (!number_read(value, 1 << 20, &mebibytes) || mebibytes == 0)
        return "a number of MiB from 1 to 1048576";
    settings->search.max_memory = mebibytes << 20;
    return NULL;
}

static const char *set_seed(struct settings *settings, const char *value)
{
    return set_limit(&settings->search.seed, value);
}

static const char *set_timeout(struct settings *settings, const char *value)
{
    char *end;

    settings->search.timeout = strtod(value, &end);
    if (end == value || *end || !(settings->search.timeout > 0) || settings->search.timeout > 1e9)
        return "a number of seconds greater than 0";
    return NULL;
}

static const char *set_help(struct settings *settings, const char *value)
{
    (void)value;
    settings->help = true;
    return NULL;
}

const struct option_row search_options[] = {
    {"model", "sc|tso|pso", "memory model (default sc)", set_model},
    {"reduction", "optimal|source|dpor|sharing|exhaustive",
     "which interleavings are left out (default optimal)", set_reduction},
    {"stateful", "off|delta|exact|auto",
     "stop a run at a state that was explored before (default off)", set_stateful},
    {"search", "explore|random|pct|pos", "all runs (default), or samples: random walk, PCT, POS",
     set_search},
    {"runs", "N", "samples to make (default 10000, or until --timeout)", set_runs},
    {"depth", "N", "pct: of the bugs to look for (default 3)", set_depth},
    {"buffer-bound", "N", "tso, pso: a store buffer holds at most N stores", set_buffer_bound},
    {"preemption-bound", "N", "runs with at most N preemptions; auto: 0, 1, 2 … in turn",
     set_preemption_bound},
    {"spurious-wakeups", "N", "waits of a thread that may end unsignalled (default 0)",
     set_spurious_wakeups},
    {"max-steps", "N", "give up a run after N steps (default 100000), and later runs sooner",
     set_max_steps},
    {"max-executions", "N", "stop after N executions", set_max_executions},
    {"max-memory", "MIB", "stop when the search takes more memory", set_max_memory},
    {"timeout", "SECONDS", "stop after that time", set_timeout},
    {"seed", "N", "of what chance decides (default: explore none, else 1)", set_seed},
    {0},
};

const struct option_row common_options[] = {
    {"help", NULL, "this page", set_help},
    {0},
};

void options_tables(const struct subcommand *subcommand,
                    const struct option_row *tables[OPTION_TABLES])
{
    bool does_search =
        subcommand->mode == OPTIONS_PLAIN || subcommand->mode == OPTIONS_FOR_COMPILER;

    tables[0] = subcommand->options;
    tables[1] = does_search ? search_options : NULL;
    tables[2] = subcommand->mode == OPTIONS_PASSED_ON ? NULL : common_options;
}

static const struct option_row *row_find(const struct subcommand *subcommand, const char *name,
                                         size_t length)
{
    const struct option_row *tables[OPTION_TABLES];

    options_tables(subcommand, tables);
    for (int i = 0; i < OPTION_TABLES; i++)
        for (const struct option_row *row = tables[i]; row && row->name; row++)
            if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
                return row;
    return NULL;
}

void options_unknown(const struct subcommand *subcommand, const char *word)
{
    const struct option_row *tables[OPTION_TABLES];
    struct suggestion best = {0};
    const char *name = word + strspn(word, "-");
    char hint[80] = "";

    options_tables(subcommand, tables);
    for (int i = 0; i < OPTION_TABLES; i++)
        for (const struct option_row *row = tables[i]; row && row->name; row++)
            suggestion_try(&best, name, strcspn(name, "="), row->name);
    if (best.nearest)
        snprintf(hint, sizeof hint, "did you mean --%s? ", best.nearest);
    fprintf(stderr, "raddle: unknown option '%s'; %s`raddle %s --help` lists them\n", word, hint,
            subcommand->name);
}

/* Reads the option at argv[*i], and moves *i to the last argument that belongs to it. */
static bool option_read(int argc, char **argv, int *i, const struct subcommand *subcommand,
                        struct settings *settings)
{
    const char *name = argv[*i] + 2;
    const char *equals = strchr(name, '=');
    const struct option_row *row =
        row_find(subcommand, name, equals ? (size_t)(equals - name) : strlen(name));
    const char *value = equals ? equals + 1 : NULL;
    const char *wanted;

    if (!row) {
        options_unknown(subcommand, argv[*i]);
        return false;
    }
    if (!row->argument && value) {
        fprintf(stderr, "raddle: option '--%s' takes no value\n", row->name);
        return false;
    }
    if (row->argument && !value) {
        if (*i + 1 == argc) {
            fprintf(stderr, "raddle: option '--%s' needs a value\n", row->name);
            return false;
        }
        value = argv[++*i];
    }
    wanted = row->set(settings, value);
    if (wanted)
        fprintf(stderr, "raddle: option '--%s' takes %s, not '%s'\n", row->name, wanted, value);
    return wanted == NULL;
}

/* Comparing states needs a reduction that knows what to do about them, and is not shown to keep what a preemption bound promises. */
static bool states_settle(const struct settings *settings)
{
    if (settings->search.states == STATES_OFF)
        return true;
    if (settings->search.preemption_bound != NO_BOUND) {
        fprintf(stderr, "raddle: option '--stateful' does not go with --preemption-bound: how many "
                        "preemptions led to a state is no part of it\n");
        return false;
    }
    if (settings->search.reduction->with_states)
        return true;
    fprintf(stderr,
            "raddle: option '--stateful' goes with --reduction optimal, source, dpor or "
            "exhaustive, not %s\n",
            settings->search.reduction->name);
    return false;
}

static bool goes_with(const char *option, const char *with)
{
    fprintf(stderr, "raddle: option '--%s' goes with %s\n", option, with);
    return false;
}

/* What samples leaves nothing out by a plan, and so has no reduction and no bound. */
static bool samples_settle(struct settings *settings)
{
    struct explorer_options *search = &settings->search;

    if (settings->reduction_given)
        return goes_with("reduction", "--search explore");
    if (search->preemption_bound != NO_BOUND)
        return goes_with("preemption-bound", "--search explore");
    if (settings->tree)
        return goes_with("tree", "--search explore");
    if (search->states != STATES_OFF)
        return goes_with("stateful", "--search explore");
    if (search->depth && search->search != &search_pct)
        return goes_with("depth", "--search pct");
    if (!search->depth)
        search->depth = SEARCH_DEPTH;
    if (!search->seed)
        search->seed = 1;
    if (!search->runs)
        search->runs = search->timeout > 0 ? NO_LIMIT : RUNS_DEFAULT;
    return true;
}

/* A preemption bound needs a reduction that keeps its promise under it. */
static bool bound_settle(struct settings *settings)
{
    if (search_samples(settings->search.search))
        return samples_settle(settings);
    if (settings->search.runs)
        return goes_with("runs",
                         "--search random, pct or pos; --max-executions stops an exploration");
    if (settings->search.depth)
        return goes_with("depth", "--search pct");
    if (settings->search.preemption_bound == NO_BOUND || settings->search.reduction->takes_bound)
        return true;
    if (!settings->reduction_given) {
        settings->search.reduction = &reduction_dpor;
        return true;
    }
    fprintf(stderr,
            "raddle: option '--preemption-bound' goes with --reduction dpor or exhaustive, "
            "not %s\n",
            settings->search.reduction->name);
    return false;
}

bool options_read(int argc, char **argv, const struct subcommand *subcommand,
                  struct settings *settings, int *count)
{
    bool options = true;

    *settings = (struct settings){.search = {.reduction = reductions[0],
                                             .search = searches[0],
                                             .memory = memory_models[0],
                                             .buffer_bound = BUFFER_UNBOUNDED,
                                             .preemption_bound = NO_BOUND,
                                             .states_after = STATES_AFTER,
                                             .states_trial = STATES_TRIAL,
                                             .max_steps = 100000,
                                             .max_executions = NO_LIMIT},
                                  .races = true,
                                  .exit_is_bug = true,
                                  .nondet_max = 1,
                                  .minimise_seconds = 5};
    *count = 0;
    for (int i = 1; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (options && argv[i][0] == '-' && argv[i][1] == '-') {
            if (!option_read(argc, argv, &i, subcommand, settings))
                return false;
        } else if (options && subcommand->mode != OPTIONS_FOR_COMPILER && argv[i][0] == '-' &&
                   argv[i][1] != '\0') {
            options_unknown(subcommand, argv[i]);
            return false;
        } else {
            argv[1 + (*count)++] = argv[i];
        }
    }
    return states_settle(settings) && bound_settle(settings);
}

static const struct {
    enum cut_reason reason;
    const char *text;
} cut_reason_texts[] = {
    {CUT_BUFFER_BOUND, "the buffer bound was reached"},
    {CUT_PREEMPTION_BOUND, "the preemption bound was reached"},
    {CUT_MAX_STEPS, "a run was given up after the maximum number of steps"},
    {CUT_MAX_EXECUTIONS, "the maximum number of executions was reached"},
    {CUT_MAX_MEMORY, "the search takes too much memory"},
    {CUT_TIMEOUT, "the time was up"},
    {CUT_STOPPED, "the search was stopped"},
    {CUT_SAMPLED, "runs were only sampled"},
};

const char *cut_reason_text(enum cut_reason reason)
{
    for (size_t i = 0; i < sizeof cut_reason_texts / sizeof *cut_reason_texts; i++)
        if (cut_reason_texts[i].reason == reason)
            return cut_reason_texts[i].text;
    return NULL;
}

const char *cut_reasons_text(uint32_t cut, char *buffer, size_t size)
{
    size_t used = 0;

    buffer[0] = '\0';
    for (uint32_t bit = 1; bit && bit <= cut; bit <<= 1)
        if (cut & bit && used < size)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? "; " : "",
                                     cut_reason_text(bit));
    return buffer;
}
