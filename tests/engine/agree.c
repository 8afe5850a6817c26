#include "agree.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine_api.h"

/* The traces of one run of the engine. */
struct gathering {
    struct oracle_replayer *replayer;
    struct oracle_set traces;
    uint64_t executions, given_up, limit;
    bool twice; /* some trace came again */
    bool wrong; /* some execution cannot be replayed */
};

static bool gather(void *context, const struct engine_execution *execution)
{
    struct gathering *g = context;
    struct oracle_outcome outcome;

    if (execution->blocked) {
        g->given_up++;
        return g->given_up < 10 * g->limit;
    }
    oracle_replay(g->replayer, execution->schedule, execution->length, &outcome);
    g->wrong |= outcome.verdict != ORACLE_COMPLETE && outcome.verdict != ORACLE_UNSUPPORTED;
    g->twice |= !oracle_set_add(&g->traces, outcome.trace);
    return ++g->executions <= g->limit;
}

static bool run(const struct program *program, const struct oracle_config *config,
                const char *reduction, uint64_t order, uint64_t limit, struct gathering *g)
{
    struct engine_config engine = {reduction,
                                   oracle_model_names[config->model],
                                   ORACLE_UNBOUNDED,
                                   ORACLE_UNBOUNDED,
                                   order,
                                   config->spurious};
    struct engine_stats stats;

    *g = (struct gathering){.limit = limit, .replayer = oracle_replayer_new(config)};
    engine_run(program, &engine, gather, g, &stats);
    oracle_replayer_free(g->replayer);
    return g->executions <= limit && g->given_up < 10 * limit;
}

/* What is wrong with an optimal run, compared with the traces of another reduction; NULL if nothing. */
static const char *problem_of(const struct gathering *optimal, const struct gathering *source)
{
    if (optimal->wrong || source->wrong)
        return "an execution cannot be replayed";
    if (optimal->twice)
        return "optimal explores a trace twice";
    if (optimal->given_up)
        return "optimal gives runs up";
    if (optimal->traces.count != source->traces.count)
        return "optimal and source explore different traces";
    return NULL;
}

enum judgement judge_agree(const struct program *program, enum oracle_model model, uint64_t limit,
                           FILE *file)
{
    uint64_t *addresses = calloc(program->decl_count + 1, sizeof *addresses);
    struct oracle_config config = {program,          model, ORACLE_UNBOUNDED,
                                   ORACLE_UNBOUNDED, 0,     addresses};
    struct gathering source, optimal;
    enum judgement judgement = JUDGED_TOO_BIG;

    for (uint32_t d = 0; d < program->decl_count; d++)
        addresses[d] = engine_address(program, d);
    if (run(program, &config, "source", 0, limit, &source)) {
        judgement = JUDGED_RIGHT;
        for (uint64_t order = 0; order < 3 && judgement == JUDGED_RIGHT; order++) {
            const char *problem;

            run(program, &config, "optimal", order, limit, &optimal);
            problem = problem_of(&optimal, &source);
            if (problem) {
                fprintf(file, "%s (%s, --seed %" PRIu64 "): %u of %u traces\n", problem,
                        oracle_model_names[model], order, optimal.traces.count,
                        source.traces.count);
                judgement = JUDGED_WRONG;
            }
            oracle_set_free(&optimal.traces);
        }
    }
    oracle_set_free(&source.traces);
    free(addresses);
    return judgement;
}
