/* A simulated cluster against one search: random programs, numbers of workers, delays, losses of workers. Whatever the order of messages, the executions are as many,
 * and they end in the same states, as often (after losses: as counted by the coordinator, and in the same set of states). Workers that compare states, or leave out interchangeable
 * threads, are held against one search that does not: they must end in the same set of states; up to an exchange of threads. Workers under a preemption bound are held against one search
 * of all runs within it. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "base/map.h"
#include "cluster/simulation.h"
#include "engine/cycles_make.h"
#include "engine/file.h"
#include "engine/generate.h"
#include "engine/twins_make.h"
#include "script/target.h"
#include "script/text.h"

#define RESERVE        ((size_t)1 << 32)
#define EXECUTIONS_MIN 3
#define PRINTED_MIN    20 /* executions of a program that is worth several processes */

static uint64_t executions_max = 3000; /* of a program that is tried */

/* Whether it matters which of the threads with the same code is which; or of those that may have come to have the same code ahead of them. */
enum { AS_THEY_ARE, UP_TO_CODE, UP_TO_CODE_AHEAD, WAYS };

/* How runs ended: the sum of all hashes, and in each way of the different ones. */
struct ends {
    uint64_t runs, sum, distinct[WAYS];
    struct arena arena;
    struct map seen[WAYS];
};

struct one {
    struct script script;
    const struct program *program;
    struct ends *ends;
};

/* Addresses are others in each worker. */
static uint64_t value_of(const struct one *one, int64_t value)
{
    uint64_t offset = (uint64_t)value - one->script.base.base;

    return offset < one->script.base.extent ? offset : (uint64_t)value;
}

/* The first thread that may have changed places with that one. */
static uint32_t thread_class(const struct program *program, uint32_t t, unsigned way)
{
    uint32_t first = 0;

    if (way == AS_THEY_ARE)
        return t;
    while (
        !twins_same_code(&program->threads[first], &program->threads[t], way == UP_TO_CODE_AHEAD))
        first++;
    return first;
}

static uint64_t ends_hash(const struct one *one, const struct explorer *explorer,
                          enum ending ending, unsigned way)
{
    const struct program *program = one->program;
    struct fingerprint f = {ending, explorer->execution.findings.count};

    for (uint32_t d = 0; d < program->decl_count; d++)
        for (uint32_t i = 0; program->decls[d].kind == OBJECT_CELL && i < program->decls[d].count;
             i++)
            fingerprint_word(&f, value_of(one, script_cell(&one->script, d, i)));
    for (uint32_t t = 0; t < program->thread_count; t++) {
        struct fingerprint thread = {thread_class(program, t, way), 0};

        for (uint32_t r = 0; r < program->threads[t].reg_count; r++)
            fingerprint_word(&thread, value_of(one, script_reg(&one->script, t, (reg_id)r)));
        f.low += mix64(thread.low);
    }
    for (uint32_t i = 0; i < explorer->execution.findings.count; i++)
        f.low += mix64(explorer->execution.findings.at[i].bug);
    return f.low;
}

static bool run_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct one *one = context;
    uint64_t hash;

    if (ending == ENDING_ASLEEP || ending == ENDING_CUT || ending == ENDING_KNOWN ||
        (explorer->execution.failed_assumes.count && !explorer_run_failed(explorer, ending)))
        return true;
    one->ends->runs++;
    for (unsigned way = 0; way < WAYS; way++) {
        hash = ends_hash(one, explorer, ending, way);
        one->ends->sum += way == AS_THEY_ARE ? hash : 0;
        if (map_get(&one->ends->seen[way], hash) == MAP_ABSENT) {
            map_add(&one->ends->seen[way], hash, 1);
            one->ends->distinct[way] += hash;
        }
    }
    return true;
}

static void ends_open(struct ends *ends)
{
    memset(ends, 0, sizeof *ends);
    if (arena_open(&ends->arena, RESERVE) != 0)
        abort();
    for (unsigned way = 0; way < WAYS; way++)
        map_open(&ends->seen[way], &ends->arena);
}

/* ---- one search */

struct config {
    const char *reduction, *model;
    uint8_t states, symmetry; /* enum states_kind, enum symmetry_kind */
    char source;              /* of programs: plain, [t]wins, [c]ycles */
    uint8_t bound;            /* preemptions, plus one; 0: as many as there are */
};

/* Where one search can do without, it does. */
static struct config config_of_truth(const struct config *config)
{
    return (struct config){.reduction = config->bound ? "exhaustive" : config->reduction,
                           .bound = config->bound,
                           .model = config->model,
                           .states = config->source == 'c' ? config->states : STATES_OFF};
}

static unsigned way_of(const struct config *config)
{
    return config->symmetry == SYMMETRY_ALL   ? UP_TO_CODE_AHEAD
           : config->symmetry == SYMMETRY_NEW ? UP_TO_CODE
                                              : AS_THEY_ARE;
}

static struct explorer_options options_of(const struct config *config)
{
    return (struct explorer_options){.states = config->states                     ? config->states
                                               : config->symmetry == SYMMETRY_ALL ? STATES_SUMMARIES
                                                                                  : STATES_OFF,
                                     .symmetry = config->symmetry,
                                     .symmetry_trial = 16,
                                     .reduction = reduction_find(config->reduction),
                                     .memory = memory_find(config->model),
                                     .buffer_bound = BUFFER_UNBOUNDED,
                                     .preemption_bound =
                                         config->bound ? config->bound - 1u : NO_BOUND,
                                     .commutes = COMMUTE_ALL,
                                     .max_steps = 2000,
                                     .max_executions = executions_max + 1,
                                     .ended = run_ended};
}

static struct explorer_stats search(const struct program *program, const struct config *config,
                                    struct ends *ends)
{
    struct explorer_options options = options_of(config);
    struct explorer *explorer = malloc(sizeof *explorer);
    struct one one = {.program = program, .ends = ends};
    struct explorer_stats stats;
    struct arena arena;

    options.context = &one;
    options.max_runs = executions_max;
    if (!explorer || arena_open(&arena, RESERVE) != 0 || script_open(&one.script, program) != 0)
        abort();
    explorer_open(explorer, &arena, &one.script.base, &options);
    if (!explorer_run(explorer))
        abort();
    stats = explorer->stats;
    script_close(&one.script);
    arena_close(&arena);
    free(explorer);
    return stats;
}

/* ---- many workers */

struct shared {
    const struct program *program;
    struct ends *ends;
};

static struct target *program_open(void *of, uint32_t worker, void **context)
{
    struct shared *shared = of;
    struct one *one = malloc(sizeof *one);

    (void)worker;
    if (!one || script_open(&one->script, shared->program) != 0)
        return NULL;
    one->program = shared->program;
    one->ends = shared->ends;
    *context = one;
    return &one->script.base;
}

static void program_close(void *of, struct target *target, void *context)
{
    struct one *one = context;

    (void)of;
    (void)target;
    script_close(&one->script);
    free(one);
}

static uint64_t random_state;

static uint64_t random_below(uint64_t n)
{
    random_state = mix64(random_state + 0x9e3779b97f4a7c15u);
    return random_state % n;
}

static struct simulation_options order_of(const struct config *config, struct shared *shared,
                                          bool losses)
{
    static const double latencies[] = {0, 1e-6, 1e-5, 1e-4, 1e-3};
    struct simulation_options options = {
        .search = options_of(config),
        .program = {program_open, program_close, shared},
        .workers = 1 + (uint32_t)random_below(random_below(4) ? 4 : 12),
        .limit = (uint32_t)random_below(3),
        .seed = random_below(UINT64_MAX),
        .latency = latencies[random_below(5)],
        .jitter = latencies[random_below(5)],
        .message_cost = random_below(2) ? 0 : 1e-5,
        .step_cost = 1e-6,
        .loss = losses ? 1.0 / (double)(2 + random_below(200)) : 0,
        .kept = losses && random_below(2) ? 1.0 / (double)(2 + random_below(60)) : 0,
        .max_losses = losses ? 20 : 0,
    };

    options.max_executions = NO_LIMIT;
    options.search.seed = random_below(2) ? 1 + random_below(1000) : 0;
    return options;
}

static uint64_t orders, messages, losses_seen, items_seen, programs_used, revisits, saved;

/* What is being tried, if raddle itself turns out to be wrong. */
struct trial {
    const struct program *program;
    const struct config *config;
    const struct simulation_options *options;
};

static void trial_print(void *context, FILE *out)
{
    const struct trial *trial = context;

    fprintf(out,
            "%s, %s, states %d, symmetry %d, %u workers, limit %u, seed %" PRIu64
            ", latency %g, jitter %g, cost %g, loss %g\n",
            trial->config->reduction, trial->config->model, trial->config->states,
            trial->config->symmetry, trial->options->workers, trial->options->limit,
            trial->options->seed, trial->options->latency, trial->options->jitter,
            trial->options->message_cost, trial->options->loss);
    text_print(trial->program, out);
}

static bool order_try(const struct program *program, const struct config *config,
                      const struct explorer_stats *wanted, const struct ends *ends, bool losses)
{
    struct ends found;
    struct shared shared = {.program = program, .ends = &found};
    struct simulation_options options = order_of(config, &shared, losses);
    struct simulation_result result;
    bool same, ran, exact = !config->states && !config->symmetry && !config->bound;
    unsigned way = way_of(config);

    struct trial trial = {program, config, &options};

    ends_open(&found);
    check_set_context(trial_print, &trial);
    ran = simulate(&options, &result);
    check_set_context(NULL, NULL);
    same = ran && result.complete && found.distinct[way] == ends->distinct[way];
    if (options.search.reduction->races_at_end && exact) /* only that promises more */
        same &= result.stats.executions == wanted->executions &&
                result.stats.assumes == wanted->assumes && result.stats.asleep == wanted->asleep &&
                (result.losses || found.sum == ends->sum);
    orders++;
    revisits += result.stats.states.revisited;
    saved += result.stats.symmetry.saved;
    messages += result.messages;
    losses_seen += result.losses;
    items_seen += result.items;
    if (!same) {
        printf("%s, %s, states %d, symmetry %d, %u workers, limit %u, seed %" PRIu64
               ", latency %g, jitter %g, loss %g: %s%s"
               "%" PRIu64 " executions, %" PRIu64 " asleep; one search: %" PRIu64 ", %" PRIu64
               "; %" PRIu64 " runs ended; states %s; items %" PRIu64 ", losses %" PRIu64 "\n",
               config->reduction, config->model, config->states, config->symmetry, options.workers,
               options.limit, options.seed, options.latency, options.jitter, options.loss,
               result.complete ? "" : "not complete, ", result.why, result.stats.executions,
               result.stats.asleep, wanted->executions, wanted->asleep, found.runs,
               found.distinct[way] == ends->distinct[way] ? "the same" : "differ", result.items,
               result.losses);
        text_print(program, stdout);
    }
    arena_close(&found.arena);
    return same;
}

static bool program_try(const struct program *program, const struct config *config, unsigned each)
{
    struct config truth = config_of_truth(config);
    struct explorer_stats wanted;
    struct ends ends;
    bool same = true;

    ends_open(&ends);
    wanted = search(program, &truth, &ends);
    if (!(wanted.cut & ~(uint32_t)CUT_PREEMPTION_BOUND) &&
        wanted.executions + wanted.states.revisited >= EXECUTIONS_MIN) {
        programs_used++;
        for (unsigned i = 0; same && i < each; i++)
            same = order_try(program, config, &wanted, &ends, i % 3 == 2);
    }
    arena_close(&ends.arena);
    return same;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- all of them */

static const struct config plain[] = {
    {.reduction = "optimal", .model = "sc"}, {.reduction = "optimal", .model = "tso"},
    {.reduction = "optimal", .model = "sc"}, {.reduction = "optimal", .model = "pso"},
    {.reduction = "source", .model = "sc"},  {.reduction = "optimal", .model = "sc"},
    {.reduction = "dpor", .model = "tso"},   {.reduction = "optimal", .model = "tso"},
};

static const struct config states[] = {
    {"optimal", "sc", STATES_EXACT, 0, 'p', 0},  {"source", "tso", STATES_EXACT, 0, 'p', 0},
    {"optimal", "sc", STATES_EXACT, 0, 'c', 0},  {"dpor", "sc", STATES_EXACT, 0, 'p', 0},
    {"optimal", "pso", STATES_EXACT, 0, 'p', 0}, {"dpor", "sc", STATES_EXACT, 0, 'c', 0},
    {"optimal", "sc", STATES_EXACT, 0, 't', 0},  {"exhaustive", "sc", STATES_EXACT, 0, 'p', 0},
};

/* Of programs that go round alone. */
static const struct config rounds[] = {
    {"optimal", "sc", STATES_EXACT, 0, 'c', 0},
    {"dpor", "sc", STATES_EXACT, 0, 'c', 0},
    {"source", "sc", STATES_EXACT, 0, 'c', 0},
};

static const struct config symmetry[] = {
    {"optimal", "sc", 0, SYMMETRY_NEW, 't', 0},  {"optimal", "sc", 0, SYMMETRY_ALL, 't', 0},
    {"optimal", "tso", 0, SYMMETRY_ALL, 't', 0}, {"source", "sc", 0, SYMMETRY_ALL, 't', 0},
    {"dpor", "pso", 0, SYMMETRY_ALL, 't', 0},    {"optimal", "tso", 0, SYMMETRY_NEW, 't', 0},
    {"source", "pso", 0, SYMMETRY_NEW, 't', 0},  {"dpor", "sc", 0, SYMMETRY_NEW, 't', 0},
};

static const struct config bounds[] = {
    {"source", "sc", 0, 0, 'p', 1},  {"source", "tso", 0, 0, 'p', 2},
    {"dpor", "sc", 0, 0, 'p', 2},    {"source", "sc", 0, 0, 'p', 2},
    {"source", "pso", 0, 0, 'p', 3}, {"source", "sc", 0, 0, 'p', 3},
    {"source", "tso", 0, 0, 'p', 1}, {"dpor", "tso", 0, 0, 'p', 3},
};

static const struct {
    const char *name;
    const struct config *configs;
    size_t count;
} kinds[] = {
    {"plain", plain, sizeof plain / sizeof *plain},
    {"states", states, sizeof states / sizeof *states},
    {"round", rounds, sizeof rounds / sizeof *rounds},
    {"symmetry", symmetry, sizeof symmetry / sizeof *symmetry},
    {"bounds", bounds, sizeof bounds / sizeof *bounds},
};

/* Whether a thread may go round without doing anything that others could see: to find that out takes long each time. */
static bool goes_round_unseen(const struct program *program)
{
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const struct thread_code *code = &program->threads[t];

        for (uint32_t i = 0; i < code->insn_count; i++) {
            bool seen = code->insns[i].kind != INSN_BRANCH || code->insns[i].jump > i;

            for (uint32_t k = code->insns[i].jump; !seen && k < i; k++)
                seen = code->insns[k].kind == INSN_OP;
            if (!seen)
                return true;
        }
    }
    return false;
}

static bool program_make(char source, uint64_t seed, struct program *program)
{
    struct knobs knobs = knobs_default;

    if (source == 'c') {
        if (!cycles_make(seed, program))
            return false;
        if (!goes_round_unseen(program))
            return true;
        program_free(program);
        return false;
    }
    if (source == 't') {
        twins_make(seed, program);
        return true;
    }
    knobs.events_max = 8 + (unsigned)random_below(12);
    generate(seed, &knobs, program);
    return true;
}

struct wishes {
    uint64_t seed, programs;
    double seconds;
    unsigned each, kind;
    const char *print; /* the directory for programs, if they are only to be printed; or NULL */
    const char *file;  /* a program, instead of random ones; or NULL */
};

static bool wishes_read(int argc, char **argv, struct wishes *wishes)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seed") == 0)
            wishes->seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seconds") == 0)
            wishes->seconds = strtod(argv[i + 1], NULL);
        else if (strcmp(argv[i], "--programs") == 0)
            wishes->programs = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--orders") == 0)
            wishes->each = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--executions") == 0)
            executions_max = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--print") == 0)
            wishes->print = argv[i + 1];
        else if (strcmp(argv[i], "--file") == 0)
            wishes->file = argv[i + 1];
        else if (strcmp(argv[i], "--only") == 0)
            for (wishes->kind = 0; strcmp(kinds[wishes->kind].name, argv[i + 1]) != 0;)
                if (++wishes->kind == sizeof kinds / sizeof *kinds)
                    return false;
    }
    return true;
}

/* For others to search: as many programs with enough executions, and not too many. */
static int programs_print(const struct wishes *wishes)
{
    char path[4096];

    for (uint64_t n = 0, made = 0; made < wishes->programs; n++) {
        struct program program;
        struct explorer_stats stats;
        struct ends ends;
        FILE *file;

        program_make('p', wishes->seed * 1000003 + n, &program);
        ends_open(&ends);
        stats = search(&program, &plain[0], &ends);
        arena_close(&ends.arena);
        snprintf(path, sizeof path, "%s/%" PRIu64 ".script", wishes->print, made);
        if (!stats.cut && stats.executions >= PRINTED_MIN) {
            file = fopen(path, "w");
            if (!file)
                return 1;
            text_print(&program, file);
            fclose(file);
            made++;
        }
        program_free(&program);
    }
    return 0;
}

/* How many programs failed. */
static uint64_t programs_try(const struct wishes *wishes)
{
    double start = now();
    uint64_t failed = 0;

    for (uint64_t n = 0; n < wishes->programs && now() - start < wishes->seconds && failed < 3;
         n++) {
        const struct config *config = &kinds[wishes->kind].configs[n % kinds[wishes->kind].count];
        struct program program;

        if (!program_make(config->source, wishes->seed * 1000003 + n, &program))
            continue;
        failed += !program_try(&program, config, wishes->each);
        program_free(&program);
    }
    return failed;
}

/* One program, searched in each of the ways. In how many it failed. */
static uint64_t file_try(const struct wishes *wishes)
{
    struct program program;
    uint64_t failed = 0;

    if (!file_read(wishes->file, &program))
        return 1;
    for (size_t i = 0; i < kinds[wishes->kind].count; i++)
        failed += !program_try(&program, &kinds[wishes->kind].configs[i], wishes->each);
    program_free(&program);
    return failed;
}

int main(int argc, char **argv)
{
    struct wishes wishes = {.seed = 1, .programs = UINT64_MAX, .seconds = 5, .each = 12};
    uint64_t failed;

    if (!wishes_read(argc, argv, &wishes)) {
        fprintf(stderr, "cluster_orders: --only takes plain, states, round, symmetry or bounds\n");
        return 2;
    }
    random_state = wishes.seed;
    if (wishes.print)
        return programs_print(&wishes);
    failed = wishes.file ? file_try(&wishes) : programs_try(&wishes);
    printf("%" PRIu64 " programs, %" PRIu64 " orders of messages, %" PRIu64 " messages, %" PRIu64
           " items, %" PRIu64 " workers lost, %" PRIu64 " known states, %" PRIu64
           " left out by symmetry; %" PRIu64 " failed\n",
           programs_used, orders, messages, items_seen, losses_seen, revisits, saved, failed);
    return failed > 0;
}
