#include "twins.h"

#include <stdlib.h>
#include <string.h>

#include "engine_api.h"
#include "script/text.h"
#include "twins_make.h"

#define INTERLEAVINGS_MAX 5000
#define STATES_MAX        2000

/* ---- final states, whichever of some threads is which: of those with the same code from the beginning, or (`later`) of all that may have come to have the same code ahead of
 * them */

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* What one search found. */
struct found {
    const struct program *program;
    struct oracle_replayer *replayer;
    struct oracle_set finals[2]; /* up to exchange; the second: later */
    struct oracle_set seen;      /* as they are: these were added before */
    struct oracle_end ends;
    const char *wrong;
};

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    uint64_t state = hash ^ word * 0xd6e8feb86659fd93u;

    return next_random(&state);
}

/* The state after the last replay. */
static struct oracle_hash final_of(const struct found *found, bool later)
{
    const struct program *program = found->program;
    uint64_t cells = 1, threads = 0;

    for (uint32_t d = 0; d < program->decl_count; d++)
        for (uint32_t i = 0; program->decls[d].kind == OBJECT_CELL && i < program->decls[d].count;
             i++)
            cells = mixed(cells, oracle_cell(found->replayer, d, i));
    for (uint32_t t = 0; t < program->thread_count; t++) {
        uint64_t thread;
        uint32_t first = 0;

        while (!twins_same_code(&program->threads[first], &program->threads[t], later))
            first++;
        thread = mixed(first + 1, (uint64_t)oracle_status(found->replayer, t));
        for (uint32_t r = 0; r < program->threads[t].reg_count; r++)
            thread = mixed(thread, (uint64_t)oracle_reg(found->replayer, t, (reg_id)r));
        threads += mixed(thread, 3);
    }
    return (struct oracle_hash){mixed(cells, threads), mixed(threads, cells) | 1};
}

static void found_add(struct found *found, const struct oracle_choice *schedule, unsigned length)
{
    struct oracle_outcome outcome;

    oracle_replay(found->replayer, schedule, length, &outcome);
    if (outcome.verdict == ORACLE_UNSUPPORTED)
        found->wrong = "too long";
    else if (outcome.verdict != ORACLE_COMPLETE)
        found->wrong = "an execution cannot be replayed";
    for (int later = 0; later < 2; later++)
        oracle_set_add(&found->finals[later], final_of(found, later));
    found->ends.deadlock |= outcome.end.deadlock;
    found->ends.asserted |= outcome.end.asserted;
    found->ends.misused |= outcome.end.misused;
}

static bool oracle_leaf_add(void *context, const struct oracle_leaf *leaf)
{
    struct found *found = context;

    if (oracle_set_add(&found->seen, leaf->final))
        found_add(found, leaf->schedule, leaf->length);
    return true;
}

static bool engine_run_add(void *context, const struct engine_execution *execution)
{
    struct found *found = context;

    if (!execution->blocked)
        found_add(found, execution->schedule, execution->length);
    return !found->wrong;
}

static void found_free(struct found *found)
{
    oracle_replayer_free(found->replayer);
    oracle_set_free(&found->finals[0]);
    oracle_set_free(&found->finals[1]);
    oracle_set_free(&found->seen);
}

/* ---- judging */

static const char *problem_of(const struct found *found, const struct found *truth, bool later,
                              bool ended)
{
    if (found->wrong)
        return found->wrong;
    if (!ended)
        return "the search does not come to an end";
    if (found->finals[later].count != truth->finals[later].count)
        return "not all final states are reached";
    if (found->ends.deadlock != truth->ends.deadlock ||
        found->ends.asserted != truth->ends.asserted || found->ends.misused != truth->ends.misused)
        return "not the same kinds of bugs";
    return NULL;
}

static enum judgement search_judge(const struct oracle_config *config, const char *name,
                                   uint64_t order, const struct found *truth, uint64_t *saved,
                                   FILE *file)
{
    struct engine_config engine = {.reduction = name,
                                   .model = oracle_model_names[config->model],
                                   .buffer_bound = config->buffer_bound,
                                   .preemption_bound = ORACLE_UNBOUNDED,
                                   .order = order,
                                   .spurious = config->spurious};
    struct found found = {.program = config->program, .replayer = oracle_replayer_new(config)};
    struct engine_stats stats = {0};
    bool ended = engine_run(config->program, &engine, engine_run_add, &found, &stats);
    bool later = strstr(name, "+symmetry") != NULL;
    const char *problem = problem_of(&found, truth, later, ended);

    if (problem && strcmp(problem, "too long") != 0)
        fprintf(file, "%s (%s %s, --seed %llu): %u of %u final states\n", problem,
                oracle_model_names[config->model], name, (unsigned long long)order,
                found.finals[later].count, truth->finals[later].count);
    *saved += stats.saved;
    found_free(&found);
    if (problem && strcmp(problem, "too long") == 0)
        return JUDGED_TOO_BIG;
    return problem ? JUDGED_WRONG : JUDGED_RIGHT;
}

static enum judgement searches_judge(const struct oracle_config *config, uint64_t order,
                                     const struct found *truth, uint64_t *saved, FILE *file)
{
    static const char *const names[] = {"exhaustive+symmetry",
                                        "dpor+symmetry",
                                        "source+symmetry",
                                        "optimal+symmetry",
                                        "dpor+new",
                                        "source+new",
                                        "optimal+new",
                                        "dpor+exact+symmetry",
                                        "source+exact+symmetry",
                                        "dpor+exact+new",
                                        "source+exact+new",
                                        "exhaustive+exact+symmetry"};
    enum judgement judgement = JUDGED_RIGHT;

    for (size_t i = 0; i < sizeof names / sizeof *names && judgement == JUDGED_RIGHT; i++)
        judgement = search_judge(config, names[i], order, truth, saved, file);
    return judgement;
}

enum judgement twins_judge(uint64_t seed, enum oracle_model model, uint64_t *saved, FILE *file)
{
    struct program program;
    struct oracle_config config = {.program = &program,
                                   .model = model,
                                   .buffer_bound = seed % 5 ? ORACLE_UNBOUNDED : (int)(seed % 3),
                                   .spurious = seed % 7 == 0,
                                   .preemption_bound = ORACLE_UNBOUNDED};
    struct found truth = {.program = &program};
    uint64_t *addresses;
    struct oracle_result result;
    enum judgement judgement = JUDGED_TOO_BIG;

    twins_make(seed, &program);
    addresses = calloc(program.decl_count + 1, sizeof *addresses);
    for (uint32_t d = 0; d < program.decl_count; d++)
        if (program.decls[d].kind == OBJECT_CELL)
            addresses[d] = engine_address(&program, d);
    config.addresses = addresses;
    truth.replayer = oracle_replayer_new(&config);
    oracle_explore(&config, INTERLEAVINGS_MAX, oracle_leaf_add, &truth, &result);
    if (!result.too_big && !truth.wrong)
        judgement = searches_judge(&config, seed % 3 * 5, &truth, saved, file);
    if (judgement == JUDGED_WRONG)
        text_print(&program, file);
    oracle_result_free(&result);
    found_free(&truth);
    free(addresses);
    program_free(&program);
    return judgement;
}

enum judgement twins_judge_program(const struct program *program, uint64_t order, uint64_t *saved,
                                   FILE *file)
{
    static const char *const names[] = {
        "dpor+exact",          "source+exact",          "exhaustive+exact+symmetry",
        "dpor+exact+symmetry", "source+exact+symmetry", "source+exact+new"};
    struct oracle_config config = {.program = program,
                                   .model = ORACLE_SC,
                                   .buffer_bound = ORACLE_UNBOUNDED,
                                   .preemption_bound = ORACLE_UNBOUNDED};
    struct engine_config engine = {.reduction = "exhaustive+exact",
                                   .model = "sc",
                                   .buffer_bound = ORACLE_UNBOUNDED,
                                   .preemption_bound = ORACLE_UNBOUNDED};
    struct found truth = {.program = program, .replayer = oracle_replayer_new(&config)};
    struct engine_stats stats = {0};
    struct oracle_result result;
    enum judgement judgement = JUDGED_TOO_BIG;

    oracle_reach(&config, STATES_MAX, &result);
    if (!result.too_big && engine_run(program, &engine, engine_run_add, &truth, &stats))
        judgement = JUDGED_RIGHT;
    for (size_t i = 0; i < sizeof names / sizeof *names && judgement == JUDGED_RIGHT; i++)
        judgement = search_judge(&config, names[i], order, &truth, saved, file);
    if (judgement == JUDGED_WRONG)
        text_print(program, file);
    oracle_result_free(&result);
    found_free(&truth);
    return judgement;
}

enum judgement twins_judge_round(uint64_t seed, uint64_t *saved, FILE *file)
{
    struct program program;
    enum judgement judgement;

    if (!twins_make_round(seed, &program))
        return JUDGED_TOO_BIG;
    judgement = twins_judge_program(&program, seed % 3 * 5, saved, file);
    program_free(&program);
    return judgement;
}
