#include "judge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine_api.h"
#include "shrink.h"

struct judge_stats judge_stats;

/* What the callback of engine_run needs. */
struct judge {
    const struct program *program;
    const struct judge_case *c;
    const struct oracle_result *truth;
    struct oracle_replayer *replayer;
    struct oracle_set finals; /* that the engine reached */
    struct oracle_set traces;
    struct oracle_end seen; /* by any execution */
    uint64_t complete;
    uint64_t blocked;
    FILE *file;
    bool wrong;
};

void judge_case_print(const struct judge_case *c, FILE *file)
{
    fprintf(file, "%s %s", oracle_model_names[c->model], c->reduction ? c->reduction : "oracle");
    if (c->buffer_bound != ORACLE_UNBOUNDED)
        fprintf(file, " --buffer-bound %d", c->buffer_bound);
    if (c->preemption_bound != ORACLE_UNBOUNDED)
        fprintf(file, " --preemption-bound %d", c->preemption_bound);
    if (c->spurious)
        fprintf(file, " --spurious-wakeups %d", c->spurious);
    if (c->order)
        fprintf(file, " --seed %" PRIu64, c->order);
    if (c->permuted)
        fprintf(file, " with the threads in reverse order");
}

/* Whether states are compared: then runs stop, and not all traces are seen to their end. */
static bool has_states(const struct judge_case *c)
{
    return strchr(c->reduction, '+') != NULL;
}

static bool is_reduction(const struct judge_case *c, const char *name)
{
    size_t length = strcspn(c->reduction, ":"); /* what follows says how */

    return strncmp(c->reduction, name, length) == 0 && !name[length];
}

/* Chance makes the runs: what they show must be there, but not all that is there must show. */
static bool is_sampled(const struct judge_case *c)
{
    return is_reduction(c, "random") || is_reduction(c, "pct") || is_reduction(c, "pos");
}

/* The addresses that the engine uses, so that pointers are the same numbers on both sides. */
static uint64_t *engine_addresses(const struct program *program)
{
    uint64_t *addresses = calloc(program->decl_count + 1, sizeof *addresses);

    for (uint32_t d = 0; d < program->decl_count; d++)
        if (program->decls[d].kind == OBJECT_CELL)
            addresses[d] = engine_address(program, d);
    return addresses;
}

static struct oracle_config oracle_config_of(const struct program *program,
                                             const struct judge_case *c, const uint64_t *addresses)
{
    return (struct oracle_config){
        .program = program,
        .model = c->model,
        .buffer_bound = c->buffer_bound,
        .preemption_bound = c->preemption_bound,
        .spurious = c->spurious,
        .addresses = addresses,
        .apart = c->apart,
    };
}

/* Says that the execution replayed last is wrong. False, to stop the engine. */
static bool complain(struct judge *judge, const char *what)
{
    judge->wrong = true;
    fprintf(judge->file, "%s; in execution %" PRIu64 ":\n", what, judge->complete + judge->blocked);
    oracle_print_schedule(judge->replayer, judge->file);
    fprintf(judge->file, "  which the oracle ends with\n");
    oracle_print_state(judge->replayer, judge->file);
    return false;
}

static bool complain_step(struct judge *judge, const struct engine_execution *execution,
                          const struct oracle_outcome *outcome)
{
    const struct oracle_choice *choice = &execution->schedule[outcome->step];
    char what[120] = "the execution is not complete: something is still enabled";

    if (outcome->verdict == ORACLE_UNSUPPORTED)
        snprintf(what, sizeof what, "the execution is too long for the oracle");
    if (outcome->verdict == ORACLE_NOT_ENABLED)
        snprintf(what, sizeof what,
                 "step %u is impossible: thread %u%s, decl %u[%u]+%u, outcome %u",
                 outcome->step + 1, choice->thread, choice->is_buffer ? " buffer" : "",
                 choice->decl, choice->element, choice->byte, choice->outcome);
    return complain(judge, what);
}

/* Whether the engine sees the same final cells and registers. */
static bool same_values(struct judge *judge, const struct engine_execution *execution)
{
    const struct program *program = judge->program;
    char what[160];

    for (uint32_t d = 0; d < program->decl_count; d++) {
        const struct decl *decl = &program->decls[d];
        uint64_t mask = UINT64_MAX >> (decl->kind == OBJECT_CELL ? 64 - 8 * decl->size : 0);
        for (uint32_t i = 0; decl->kind == OBJECT_CELL && i < decl->count; i++) {
            uint64_t value = execution->cell(execution, d, i) & mask;
            if (value == oracle_cell(judge->replayer, d, i))
                continue;
            snprintf(what, sizeof what, "the engine says %.40s[%u] = %" PRIu64, decl->name, i,
                     value);
            return complain(judge, what);
        }
    }
    for (uint32_t t = 0; t < program->thread_count; t++) {
        for (uint32_t r = 0; r < program->threads[t].reg_count; r++) {
            int64_t value = execution->reg(execution, t, (reg_id)r);
            if (value == oracle_reg(judge->replayer, t, (reg_id)r))
                continue;
            snprintf(what, sizeof what, "the engine says %.40s of %.40s = %" PRId64,
                     program->threads[t].regs[r].name, program->threads[t].name, value);
            return complain(judge, what);
        }
    }
    return true;
}

static bool same_end(struct judge *judge, const struct engine_execution *execution,
                     const struct oracle_end *end)
{
    judge->seen.deadlock |= end->deadlock;
    judge->seen.asserted |= end->asserted;
    judge->seen.misused |= end->misused;
    if (execution->deadlock != end->deadlock)
        return complain(judge, end->deadlock ? "the engine misses the deadlock"
                                             : "the engine sees a deadlock");
    if (execution->assume_failed != end->assumed)
        return complain(judge, end->assumed ? "the engine misses the failed assume"
                                            : "the engine sees a failed assume");
    bool bug = end->asserted || end->misused;
    if (execution->bug != bug)
        return complain(judge, bug ? "the engine misses the bug" : "the engine sees a bug");
    return true;
}

static bool judge_trace(struct judge *judge, const struct oracle_outcome *outcome)
{
    bool once = is_reduction(judge->c, "optimal") || is_reduction(judge->c, "source");
    bool fresh = oracle_set_add(&judge->traces, outcome->trace);

    oracle_set_add(&judge->finals, outcome->final);
    judge_stats.redundant += !fresh;
    if (!oracle_set_has(&judge->truth->finals, outcome->final))
        return complain(judge, "a final state that the oracle does not reach");
    if (judge->c->preemption_bound != ORACLE_UNBOUNDED)
        return true;
    if (!oracle_set_has(&judge->truth->traces, outcome->trace))
        return complain(judge, "a trace that the oracle does not have");
    if (once && !fresh)
        return complain(judge, "the same trace a second time");
    return true;
}

static bool judge_execution(void *ctx, const struct engine_execution *execution)
{
    struct judge *judge = ctx;
    struct oracle_outcome outcome;

    *(execution->blocked ? &judge->blocked : &judge->complete) += 1;
    judge_stats.executions++;
    if (judge->complete > judge->truth->interleavings && is_reduction(judge->c, "exhaustive")) {
        judge->wrong = true;
        fprintf(judge->file, "more executions than the %" PRIu64 " interleavings there are\n",
                judge->truth->interleavings);
        return false;
    }
    if (judge->complete + judge->blocked > 4 * judge->truth->interleavings + 1000) {
        judge->wrong = true;
        fprintf(judge->file, "the engine does not come to an end\n");
        return false;
    }
    if (execution->blocked) {
        judge_stats.redundant++;
        return true;
    }
    oracle_replay(judge->replayer, execution->schedule, execution->length, &outcome);
    if (outcome.verdict != ORACLE_COMPLETE)
        return complain_step(judge, execution, &outcome);
    if (judge->c->preemption_bound != ORACLE_UNBOUNDED &&
        (int)outcome.preemptions > judge->c->preemption_bound)
        return complain(judge, "more preemptions than the bound");
    return same_values(judge, execution) && same_end(judge, execution, &outcome.end) &&
           judge_trace(judge, &outcome);
}

/* Finds an interleaving of the oracle whose final state or trace the engine does not have. */
struct missing {
    struct judge *judge;
    bool final;
};

static bool missing_visit(void *ctx, const struct oracle_leaf *leaf)
{
    struct missing *missing = ctx;
    struct judge *judge = missing->judge;
    struct oracle_outcome outcome;

    if (missing->final ? oracle_set_has(&judge->finals, leaf->final)
                       : oracle_set_has(&judge->traces, leaf->trace))
        return true;
    oracle_replay(judge->replayer, leaf->schedule, leaf->length, &outcome);
    fprintf(judge->file, "the engine misses a %s (it has %u of %u); one way there:\n",
            missing->final ? "final state" : "trace",
            missing->final ? judge->finals.count : judge->traces.count,
            missing->final ? judge->truth->finals.count : judge->truth->traces.count);
    oracle_print_schedule(judge->replayer, judge->file);
    oracle_print_state(judge->replayer, judge->file);
    return false;
}

static void complain_missing(struct judge *judge, const struct oracle_config *config, bool final)
{
    struct missing missing = {judge, final};
    struct oracle_result result;

    judge->wrong = true;
    oracle_explore(config, judge->truth->interleavings + 1, missing_visit, &missing, &result);
    oracle_result_free(&result);
}

/* After the run: is everything there? */
static void judge_completeness(struct judge *judge, const struct oracle_config *config)
{
    const struct oracle_result *truth = judge->truth;
    const struct judge_case *c = judge->c;
    bool bounded = c->preemption_bound != ORACLE_UNBOUNDED;

    if (judge->finals.count != truth->finals.count) {
        complain_missing(judge, config, true);
    } else if (!bounded && !has_states(c) && judge->traces.count != truth->traces.count) {
        complain_missing(judge, config, false);
    } else if (!bounded && is_reduction(c, "exhaustive") &&
               judge->complete != truth->interleavings) {
        judge->wrong = true;
        fprintf(judge->file, "%" PRIu64 " executions, but %" PRIu64 " interleavings\n",
                judge->complete, truth->interleavings);
    } else if (!bounded && is_reduction(c, "optimal") && judge->blocked > 0) {
        judge->wrong = true;
        fprintf(judge->file, "%" PRIu64 " executions were blocked, in optimal\n", judge->blocked);
    } else if (judge->seen.deadlock != (truth->deadlocks > 0) ||
               judge->seen.asserted != (truth->asserts > 0) ||
               judge->seen.misused != (truth->misuses > 0)) {
        judge->wrong = true;
        fprintf(judge->file, "not the same kinds of bugs as the oracle\n");
    }
}

bool judge_explore(const struct program *program, const struct judge_case *c, uint64_t limit,
                   struct oracle_result *truth)
{
    uint64_t *addresses = engine_addresses(program);
    struct oracle_config config = oracle_config_of(program, c, addresses);

    oracle_explore(&config, limit, NULL, NULL, truth);
    judge_stats.interleavings += truth->interleavings;
    judge_stats.steps += truth->steps;
    free(addresses);
    return !truth->too_big;
}

enum judgement judge_engine(const struct program *program, const struct judge_case *c,
                            const struct oracle_result *truth, FILE *file)
{
    uint64_t *addresses = engine_addresses(program);
    struct oracle_config config = oracle_config_of(program, c, addresses);
    struct engine_config engine = {c->reduction,    oracle_model_names[c->model],
                                   c->buffer_bound, c->preemption_bound,
                                   c->order,        c->spurious,
                                   c->apart};
    struct judge judge = {.program = program, .c = c, .truth = truth, .file = file};
    struct engine_stats stats = {0};

    judge.replayer = oracle_replayer_new(&config);
    judge_stats.runs++;
    bool ended = engine_run(program, &engine, judge_execution, &judge, &stats);
    if (!judge.wrong && !ended) {
        judge.wrong = true;
        fprintf(file, "the engine gave up\n");
    }
    if (!judge.wrong && stats.executions + stats.blocked != judge.complete + judge.blocked) {
        judge.wrong = true;
        fprintf(file, "the engine counts %" PRIu64 " + %" PRIu64 " executions, not %" PRIu64 "\n",
                stats.executions, stats.blocked, judge.complete + judge.blocked);
    }
    if (!judge.wrong && is_sampled(c) && stats.traces != judge.traces.count) {
        judge.wrong = true;
        fprintf(file, "the engine counts %" PRIu64 " distinct traces, not %u\n", stats.traces,
                judge.traces.count);
    }
    if (!judge.wrong && !is_sampled(c))
        judge_completeness(&judge, &config);
    oracle_replayer_free(judge.replayer);
    oracle_set_free(&judge.finals);
    oracle_set_free(&judge.traces);
    free(addresses);
    return judge.wrong ? JUDGED_WRONG : JUDGED_RIGHT;
}

/* Judging the oracle by itself: independent neighbours commute, so that a trace has one end. */
struct self_check {
    struct oracle_replayer *replayer;
    unsigned left;  /* interleavings to look at */
    unsigned wrong; /* 1-based step, or 0 */
};

static bool self_check_visit(void *ctx, const struct oracle_leaf *leaf)
{
    struct self_check *check = ctx;

    if (leaf->trace.lo % 4 != 0) /* neighbours in the search differ little: look at a sample */
        return true;
    check->wrong = oracle_swap_check(check->replayer, leaf->schedule, leaf->length);
    return check->wrong == 0 && --check->left > 0;
}

static enum judgement judge_oracle(const struct program *program, const struct judge_case *c,
                                   uint64_t limit, FILE *file)
{
    struct oracle_config config = oracle_config_of(program, c, NULL);
    struct self_check check = {.replayer = oracle_replayer_new(&config), .left = 500};
    struct oracle_result result;

    oracle_explore(&config, limit, self_check_visit, &check, &result);
    if (check.wrong) {
        fprintf(file,
                "the oracle calls these two independent, but their order matters: "
                "steps %u and %u (already swapped) of\n",
                check.wrong, check.wrong + 1);
        oracle_print_schedule(check.replayer, file);
        oracle_print_state(check.replayer, file);
    }
    oracle_replayer_free(check.replayer);
    oracle_result_free(&result);
    return check.wrong ? JUDGED_WRONG : JUDGED_RIGHT;
}

/* The same program with its threads in reverse order has as many traces, for both sides. */
static enum judgement judge_permuted(const struct program *program, const struct judge_case *c,
                                     uint64_t limit, FILE *file)
{
    struct judge_case plain = *c;
    struct oracle_result truth, other;
    struct program permuted;
    uint32_t to[64];
    enum judgement judgement = JUDGED_TOO_BIG;

    plain.permuted = false;
    if (program->thread_count > 64)
        return JUDGED_TOO_BIG;
    for (uint32_t t = 0; t < program->thread_count; t++)
        to[t] = program->thread_count - 1 - t;
    program_clone(program, &permuted);
    program_permute(&permuted, to);
    bool usable = judge_explore(program, &plain, limit, &truth);
    usable = judge_explore(&permuted, &plain, limit, &other) && usable;
    if (usable && truth.traces.count != other.traces.count) {
        fprintf(file, "the oracle has %u traces, and %u with the threads in reverse order\n",
                truth.traces.count, other.traces.count);
        judgement = JUDGED_WRONG;
    } else if (usable) {
        judgement = judge_engine(&permuted, &plain, &other, file);
    }
    oracle_result_free(&truth);
    oracle_result_free(&other);
    program_free(&permuted);
    return judgement;
}

enum judgement judge_case(const struct program *program, const struct judge_case *c, uint64_t limit,
                          FILE *file)
{
    struct oracle_result truth;
    enum judgement judgement = JUDGED_TOO_BIG;

    if (!c->reduction)
        return judge_oracle(program, c, limit, file);
    if (c->permuted)
        return judge_permuted(program, c, limit, file);
    if (judge_explore(program, c, limit, &truth))
        judgement = judge_engine(program, c, &truth, file);
    oracle_result_free(&truth);
    return judgement;
}

static bool is_subset(const struct oracle_set *inner, const struct oracle_set *outer)
{
    for (uint32_t i = 0; i < inner->capacity; i++)
        if ((inner->slots[i].lo | inner->slots[i].hi) && !oracle_set_has(outer, inner->slots[i]))
            return false;
    return true;
}

enum judgement judge_monotone(const struct program *program, enum oracle_model model,
                              uint64_t limit, FILE *file)
{
    static const int bounds[] = {0, 1, 2, 3, ORACLE_UNBOUNDED};
    struct oracle_result results[5];
    struct judge_case c = {.model = model, .preemption_bound = ORACLE_UNBOUNDED};
    bool usable = true, wrong = false;

    for (int i = 0; i < 5; i++) {
        c.buffer_bound = bounds[i];
        usable &= judge_explore(program, &c, limit, &results[i]);
    }
    for (int i = 0; usable && i < 4; i++) {
        if (is_subset(&results[i].finals, &results[i + 1].finals))
            continue;
        fprintf(file, "the oracle loses final states from buffer bound %d to the next\n",
                bounds[i]);
        wrong = true;
    }
    for (int i = 0; i < 5; i++)
        oracle_result_free(&results[i]);
    return wrong ? JUDGED_WRONG : usable ? JUDGED_RIGHT : JUDGED_TOO_BIG;
}
