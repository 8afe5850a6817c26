#include "agree.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine_api.h"

/* The traces of one run of the engine. */
struct gathering {
    struct oracle_replayer *replayer;
    struct oracle_set traces, finals;
    struct oracle_end ends; /* of any execution */
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
    oracle_set_add(&g->finals, outcome.final);
    g->ends.deadlock |= outcome.end.deadlock;
    g->ends.asserted |= outcome.end.asserted;
    g->ends.misused |= outcome.end.misused;
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
                                   config->spurious,
                                   config->apart};
    struct engine_stats stats;

    oracle_set_free(&g->traces);
    oracle_set_free(&g->finals);
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

/* The same for a run that compares states: it has all final states and kinds of bugs, if not all traces. */
static const char *states_problem_of(const struct gathering *states, const struct gathering *source)
{
    if (states->wrong)
        return "an execution cannot be replayed";
    if (states->finals.count != source->finals.count)
        return "not all final states are reached";
    if (states->ends.deadlock != source->ends.deadlock ||
        states->ends.asserted != source->ends.asserted ||
        states->ends.misused != source->ends.misused)
        return "not the same kinds of bugs";
    return NULL;
}

static enum judgement judge_states(const struct program *program,
                                   const struct oracle_config *config, uint64_t limit,
                                   const struct gathering *source, FILE *file)
{
    static const struct {
        const char *name;
        uint64_t order;
    } runs[] = {{"dpor+delta", 0},   {"dpor+exact", 17},  {"source+delta", 0}, {"source+exact", 17},
                {"optimal+auto", 0}, {"source+exact", 1}, {"source+exact", 2}, {"source+exact", 3}};
    struct gathering states = {0};
    enum judgement judgement = JUDGED_RIGHT;

    for (size_t i = 0; i < sizeof runs / sizeof *runs && judgement == JUDGED_RIGHT; i++) {
        const char *problem = run(program, config, runs[i].name, runs[i].order, limit, &states)
                                  ? states_problem_of(&states, source)
                                  : NULL; /* too big */
        if (problem) {
            fprintf(file, "%s (%s %s): %u of %u\n", problem, oracle_model_names[config->model],
                    runs[i].name, states.finals.count, source->finals.count);
            judgement = JUDGED_WRONG;
        }
    }
    oracle_set_free(&states.traces);
    oracle_set_free(&states.finals);
    return judgement;
}

enum judgement judge_agree(const struct program *program, enum oracle_model model, uint64_t limit,
                           FILE *file)
{
    uint64_t *addresses = calloc(program->decl_count + 1, sizeof *addresses);
    struct oracle_config config = {program,   model, ORACLE_UNBOUNDED, ORACLE_UNBOUNDED, 0,
                                   addresses, 0};
    struct gathering source = {0}, optimal = {0};
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
        }
        if (judgement == JUDGED_RIGHT)
            judgement = judge_states(program, &config, limit, &source, file);
    }
    oracle_set_free(&optimal.traces);
    oracle_set_free(&optimal.finals);
    oracle_set_free(&source.traces);
    oracle_set_free(&source.finals);
    free(addresses);
    return judgement;
}
