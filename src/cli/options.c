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

/* --symmetry=all: runs of the first trial. Of many threads that do the same on the same data, no two may be alike before as many runs were made as there are threads */
#define SYMMETRY_TRIAL 64

static const char *set_stateful(struct settings *settings, const char *value)
{
    for (size_t i = 0; i < sizeof states_kinds / sizeof *states_kinds; i++)
        if (strcmp(states_kinds[i].name, value) == 0) {
            settings->search.states = states_kinds[i].kind;
            return NULL;
        }
    return "off, delta, exact or auto";
}

static const struct {
    const char *name;
    uint8_t bits; /* enum commute */
} commute_names[] = {{"increments", COMMUTE_INCREMENTS},
                     {"barriers", COMMUTE_BARRIERS},
                     {"joins", COMMUTE_JOINS},
                     {"all", COMMUTE_ALL}};

#define COMMUTE_NAMES "increments, barriers, joins, all"

/* The bits of one name, 0 if there is none of that name. */
static uint8_t commute_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof commute_names / sizeof *commute_names; i++)
        if (strlen(commute_names[i].name) == length &&
            memcmp(commute_names[i].name, name, length) == 0)
            return commute_names[i].bits;
    return 0;
}

static const char *set_no_commute(struct settings *settings, const char *value)
{
    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ",");
        uint8_t bits = commute_find(at, length);

        if (bits == 0)
            return COMMUTE_NAMES;
        settings->search.commutes &= (uint8_t)~bits;
        at += length;
        if (*at == '\0')
            return NULL;
    }
}

const char *option_backtrack(struct settings *settings, const char *value)
{
    settings->search.all_races = strcmp(value, "all") == 0;
    return settings->search.all_races || strcmp(value, "latest") == 0 ? NULL : "latest or all";
}

static const char *set_search(struct settings *settings, const char *value)
{
    settings->search.search = search_find(value);
    return settings->search.search ? NULL : "explore, auto, random, pct or pos";
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
    {"stateful", "off|delta|exact|auto", "stop a run at a state seen before (default off)",
     set_stateful},
    {"no-commute", "LIST", "every order of: " COMMUTE_NAMES, set_no_commute},
    {"search", "explore|auto|random|pct|pos", "all runs (default), samples, or all in turn",
     set_search},
    {"runs", "N", "samples to make (default 10000, or until --timeout)", set_runs},
    {"depth", "N", "pct, auto: of the bugs to look for (default 3)", set_depth},
    {"buffer-bound", "N", "tso, pso: a store buffer holds at most N stores", set_buffer_bound},
    {"preemption-bound", "N", "at most N preemptions a run; auto: 0, 1, 2 … in turn",
     set_preemption_bound},
    {"spurious-wakeups", "N", "waits of a thread that may end unsignalled (default 0)",
     set_spurious_wakeups},
    {"max-steps", "N", "give up a run after N steps (default 100000)", set_max_steps},
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

void options_unknown(const struct subcommand *subcommand, const char *word, const char *program)
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
    fprintf(stderr, "raddle: unknown option '%s'; %s`raddle %s --help` lists them", word, hint,
            subcommand->name);
    if (program && subcommand->mode == OPTIONS_FOR_COMPILER)
        fprintf(stderr, "; if it is for %s: raddle %s %s -- %s…", program, subcommand->name,
                program, word);
    fputc('\n', stderr);
}

/* Reads the option at argv[*i], and moves *i to the last argument that belongs to it. `program`: what is to be checked, if that is known. */
static bool option_read(int argc, char **argv, int *i, const struct subcommand *subcommand,
                        struct settings *settings, const char *program)
{
    const char *name = argv[*i] + 2;
    const char *equals = strchr(name, '=');
    const struct option_row *row =
        row_find(subcommand, name, equals ? (size_t)(equals - name) : strlen(name));
    const char *value = equals ? equals + 1 : NULL;
    const char *wanted;

    if (!row) {
        options_unknown(subcommand, argv[*i], program);
        return false;
    }
    if (!row->argument && value) {
        fprintf(stderr, "raddle: option '--%s' takes no value\n", row->name);
        return false;
    }
    if (option_needs_value(row) && !value) {
        if (*i + 1 == argc) {
            fprintf(stderr, "raddle: option '--%s' needs a value\n", row->name);
            return false;
        }
        value = argv[++*i];
    }
    wanted = row->set(settings, value);
    if (wanted)
        fprintf(stderr, "raddle: option '--%s' takes %s, not '%s'\n", row->name, wanted,
                value ? value : "");
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

/* Two threads that change places may differ in how many preemptions led to them. */
static bool symmetry_settle(struct settings *settings)
{
    if (!settings->search.symmetry)
        return true;
    if (settings->search.search != &search_explore)
        return goes_with("symmetry", "--search explore");
    if (settings->search.preemption_bound != NO_BOUND)
        return goes_with("symmetry", "searches without --preemption-bound");
    if (settings->search.states != STATES_OFF && settings->search.states != STATES_EXACT)
        return goes_with("symmetry", "--stateful=exact or off");
    if (!settings->search.reduction->with_states)
        return goes_with("symmetry", "--reduction optimal, source, dpor or exhaustive");
    if (settings->races_warn)
        return goes_with("symmetry", "--races=report or ignore");
    if (settings->search.symmetry == SYMMETRY_ALL && settings->search.states == STATES_OFF)
        settings->search.states = STATES_SUMMARIES;
    return true;
}

/* What samples leaves nothing out by a plan, and so has no reduction and no bound. What takes turns has all of them, and bounds of its own. */
static bool samples_settle(struct settings *settings)
{
    struct explorer_options *search = &settings->search;
    bool turns = search->search == &search_auto;

    if (settings->reduction_given && !turns)
        return goes_with("reduction", "--search explore");
    if (search->preemption_bound != NO_BOUND)
        return goes_with("preemption-bound", "--search explore");
    if (settings->tree)
        return goes_with("tree", "--search explore");
    if (search->states != STATES_OFF)
        return goes_with("stateful", "--search explore");
    if (search->depth && search->search != &search_pct && !turns)
        return goes_with("depth", "--search pct or auto");
    if (turns && search->runs)
        return goes_with("runs", "--search random, pct or pos");
    if (!search->depth)
        search->depth = SEARCH_DEPTH;
    if (!search->seed && !turns)
        search->seed = SEARCH_SEED;
    if (!search->runs)
        search->runs = search->timeout > 0 ? NO_LIMIT : RUNS_DEFAULT;
    return true;
}

/* A preemption bound needs a reduction that keeps its promise under it. */
static bool bound_settle(struct settings *settings)
{
    if (settings->search.search != &search_explore)
        return samples_settle(settings);
    if (settings->search.runs)
        return goes_with("runs",
                         "--search random, pct or pos; --max-executions stops an exploration");
    if (settings->search.depth)
        return goes_with("depth", "--search pct or auto");
    if (settings->search.all_races && settings->search.reduction != &reduction_dpor)
        return goes_with("backtrack=all", "--reduction dpor");
    if (settings->search.preemption_bound == NO_BOUND || settings->search.reduction->takes_bound)
        return true;
    if (!settings->reduction_given) {
        settings->search.reduction = &reduction_source;
        return true;
    }
    fprintf(stderr,
            "raddle: option '--preemption-bound' goes with --reduction source, dpor or exhaustive, "
            "not %s\n",
            settings->search.reduction->name);
    return false;
}

/* -j N or -jN, as in make. */
static bool jobs_read(int argc, char **argv, int *i, const struct subcommand *subcommand,
                      struct settings *settings)
{
    char option[] = "--jobs";
    char *words[3] = {option, argv[*i] + 2, NULL};
    int at = 0;

    if (!*words[1] && *i + 1 < argc)
        words[1] = argv[++*i];
    return option_read(*words[1] ? 2 : 1, words, &at, subcommand, settings, NULL);
}

/* What one process keeps for all of its search does not go with many. */
static bool jobs_settle(const struct settings *settings)
{
    const char *option = settings->mpi ? "mpi" : "jobs";

    if (!settings->jobs && !settings->mpi)
        return true;
    if (settings->jobs && settings->mpi)
        return goes_with("mpi", "as many workers as mpirun starts, not with --jobs");
    if (settings->search.search != &search_explore)
        return goes_with(option, "--search explore");
    if (settings->search.states == STATES_AUTO || settings->search.states == STATES_DELTA)
        return goes_with(option, "--stateful=exact or off");
    if (settings->search.symmetry != SYMMETRY_OFF)
        return goes_with(option, "searches without --symmetry");
    if (settings->search.bound_grows)
        return goes_with(option, "--preemption-bound N, not auto");
    if (settings->search.reduction == &reduction_sharing)
        return goes_with(option, "--reduction optimal, source, dpor or exhaustive");
    if (settings->tree)
        return goes_with(option, "searches without --tree");
    if (settings->lock_order)
        return goes_with(option, "searches without --lock-order");
    if (settings->races_warn)
        return goes_with(option, "--races=report or ignore");
    return true;
}

/* What compares states or threads keeps facts about a run where a snapshot would not have them; samples never go back. Unless the user asked for snapshots, they give way. */
static bool snapshots_settle(struct settings *settings)
{
    const char *with = NULL;

    if (settings->search.search != &search_explore)
        with = "--search explore";
    else if (settings->search.states != STATES_OFF || settings->search.symmetry != SYMMETRY_OFF)
        with = "--stateful=off, and without --symmetry";
    else if (settings->jobs || settings->mpi)
        with = "searches by one process, without --jobs and --mpi";
    if (!with || settings->snapshots == SNAPSHOTS_OFF)
        return true;
    settings->snapshots = SNAPSHOTS_OFF;
    return !settings->snapshots_given || goes_with("snapshots", with);
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
                                             .symmetry_trial = SYMMETRY_TRIAL,
                                             .commutes = COMMUTE_ALL,
                                             .max_steps = 100000,
                                             .max_executions = NO_LIMIT},
                                  .rounds = true,
                                  .races = true,
                                  .exit_is_bug = true,
                                  .snapshots = SNAPSHOTS_AUTO,
                                  .snapshots_max = SNAPSHOTS_AUTO_MAX,
                                  .nondet_max = 1,
                                  .minimise_seconds = 5};
    *count = 0;
    for (int i = 1; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (options && argv[i][0] == '-' && argv[i][1] == '-') {
            if (!option_read(argc, argv, &i, subcommand, settings, *count ? argv[1] : NULL))
                return false;
        } else if (options && argv[i][0] == '-' && argv[i][1] == 'j' &&
                   row_find(subcommand, "jobs", 4)) {
            if (!jobs_read(argc, argv, &i, subcommand, settings))
                return false;
        } else if (options && subcommand->mode != OPTIONS_FOR_COMPILER && argv[i][0] == '-' &&
                   argv[i][1] != '\0') {
            options_unknown(subcommand, argv[i], NULL);
            return false;
        } else {
            argv[1 + (*count)++] = argv[i];
        }
    }
    return states_settle(settings) && bound_settle(settings) && symmetry_settle(settings) &&
           snapshots_settle(settings) && jobs_settle(settings);
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
    {CUT_INTERRUPTED, "interrupted"},
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
