#include "cycles.h"

#include <stdlib.h>
#include <string.h>

#include "cycles_make.h"
#include "engine_api.h"
#include "script/text.h"

#define STATES_MAX 4000

/* What one search has found. */
struct found {
    struct oracle_replayer *replayer;
    struct oracle_set finals;
    struct oracle_end ends;
    const char *wrong;
};

static bool found_add(void *context, const struct engine_execution *execution)
{
    struct found *found = context;
    struct oracle_outcome outcome;

    if (execution->blocked)
        return true;
    oracle_replay(found->replayer, execution->schedule, execution->length, &outcome);
    if (outcome.verdict == ORACLE_UNSUPPORTED)
        found->wrong = "too long";
    else if (outcome.verdict != ORACLE_COMPLETE)
        found->wrong = "an execution cannot be replayed";
    oracle_set_add(&found->finals, outcome.final);
    found->ends.deadlock |= outcome.end.deadlock;
    found->ends.asserted |= outcome.end.asserted;
    found->ends.misused |= outcome.end.misused;
    return !found->wrong;
}

static const char *problem_of(const struct found *found, const struct oracle_result *truth,
                              bool ended)
{
    if (found->wrong)
        return found->wrong;
    if (!ended)
        return "the search does not come to an end";
    if (found->finals.count != truth->finals.count)
        return "not all final states are reached";
    if (found->ends.deadlock != (truth->deadlocks > 0) ||
        found->ends.asserted != (truth->asserts > 0) || found->ends.misused != (truth->misuses > 0))
        return "not the same kinds of bugs";
    return NULL;
}

static enum judgement search_judge(const struct program *program, const char *name,
                                   const struct oracle_config *config,
                                   const struct oracle_result *truth, uint64_t order, FILE *file)
{
    struct engine_config engine = {name, "sc", ORACLE_UNBOUNDED, ORACLE_UNBOUNDED, order, 0, 0};
    struct found found = {.replayer = oracle_replayer_new(config)};
    struct engine_stats stats;
    bool ended = engine_run(program, &engine, found_add, &found, &stats);
    const char *problem = problem_of(&found, truth, ended);
    bool too_long = problem && strcmp(problem, "too long") == 0;

    if (problem && !too_long)
        fprintf(file, "%s (%s, --seed %llu): %u of %u final states\n", problem, name,
                (unsigned long long)order, found.finals.count, truth->finals.count);
    oracle_replayer_free(found.replayer);
    oracle_set_free(&found.finals);
    return too_long ? JUDGED_TOO_BIG : problem ? JUDGED_WRONG : JUDGED_RIGHT;
}

enum judgement cycles_judge(uint64_t seed, FILE *file)
{
    static const char *const names[] = {"exhaustive+exact", "dpor+exact", "source+exact"};
    struct program program;
    struct oracle_config config = {.program = &program,
                                   .model = ORACLE_SC,
                                   .buffer_bound = ORACLE_UNBOUNDED,
                                   .preemption_bound = ORACLE_UNBOUNDED};
    struct oracle_result truth;
    enum judgement judgement = JUDGED_TOO_BIG;

    if (!cycles_make(seed, &program))
        return JUDGED_TOO_BIG; /* a label without a row behind it */
    oracle_reach(&config, STATES_MAX, &truth);
    if (!truth.too_big)
        judgement = JUDGED_RIGHT;
    for (size_t i = 0; i < 3 && judgement == JUDGED_RIGHT; i++)
        judgement = search_judge(&program, names[i], &config, &truth, seed % 3 * 5, file);
    if (judgement == JUDGED_WRONG)
        text_print(&program, file);
    oracle_result_free(&truth);
    program_free(&program);
    return judgement;
}
