#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "explore/explorer.h"
#include "outcome.h"
#include "script/target.h"
#include "state_hash.h"

#define ARENA_RESERVE ((size_t)1 << 32)

/* One script being explored. */
struct exploration {
    struct script script;
    struct arena arena;
    struct explorer explorer;
    struct outcome *outcome;
    uint32_t states_max; /* what outcome->states has room for */
};

/* A place that does not exist, as C shows it: see emit.c. */
static enum bug_kind invalid_kind(const struct exploration *x, uint32_t thread)
{
    const struct script_thread *t = &x->script.threads[thread];
    const struct place *place = &x->script.program->threads[thread].insns[t->pc].place;
    int64_t address =
        place->index.kind == OPERAND_REG ? t->regs[place->index.reg] : place->index.number;

    return place->kind == PLACE_POINTER &&
                   (uint64_t)address + (uint64_t)place->offset < EMIT_FAULTS_BELOW
               ? BUG_CRASH
               : BUG_ASSERTION;
}

static void findings_note(struct exploration *x, enum ending ending)
{
    const struct execution *execution = &x->explorer.execution;

    if (ending == ENDING_DEADLOCK)
        x->outcome->kinds |= 1u << BUG_DEADLOCK;
    for (uint32_t i = 0; i < execution->findings.count; i++) {
        const struct finding *finding = &execution->findings.at[i];
        const struct event *event = &execution->events.at[finding->event];
        uint32_t kind = finding->bug;
        if (event->op.kind == OP_INVALID)
            kind = invalid_kind(x, script_thread_of(&x->explorer.world, event->agent));
        x->outcome->kinds |= 1u << kind;
    }
}

static bool thread_ran(const struct exploration *x, uint32_t thread)
{
    const struct execution *execution = &x->explorer.execution;

    if (!x->script.program->threads[thread].created)
        return true;
    for (event_id id = 0; id < execution->events.count; id++) {
        const struct op *op = &execution->events.at[id].op;
        if (op->kind == OP_THREAD_CREATE &&
            script_thread_of(&x->explorer.world, (agent_id)op->addr) == thread)
            return true;
    }
    return false;
}

static uint64_t state_hash(const struct exploration *x)
{
    const struct program *program = x->script.program;
    uint64_t memory = (uint64_t)(uintptr_t)x->script.memory, hash = STATE_HASH_START;

    for (uint32_t d = 0; d < program->decl_count; d++)
        for (uint32_t i = 0; program->decls[d].kind == OBJECT_CELL && i < program->decls[d].count;
             i++)
            hash =
                state_mix(hash, state_value(script_cell(&x->script, d, i), memory, x->script.size));
    for (uint32_t t = 0; t < program->thread_count; t++) {
        if (!thread_ran(x, t)) {
            hash = state_mix(hash, STATE_NOT_CREATED);
            continue;
        }
        for (uint32_t r = 0; r < program->threads[t].reg_count; r++)
            hash = state_mix(
                hash, state_value(script_reg(&x->script, t, (reg_id)r), memory, x->script.size));
    }
    return hash;
}

static bool exploration_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct exploration *x = context;
    struct outcome *outcome = x->outcome;

    findings_note(x, ending);
    if (ending == ENDING_DONE && !explorer->execution.findings.count &&
        !explorer->execution.failed_assumes.count) {
        if (outcome->state_count == x->states_max)
            return false;
        outcome->states[outcome->state_count++] = state_hash(x);
    }
    return true;
}

bool outcome_of_script(const struct program *program, const char *model, uint64_t limit,
                       struct outcome *outcome)
{
    struct exploration x = {.outcome = outcome, .states_max = (uint32_t)limit};
    struct explorer_options options = {.reduction = reduction_find("optimal"),
                                       .memory = memory_find(model),
                                       .buffer_bound = BUFFER_UNBOUNDED,
                                       .preemption_bound = NO_BOUND,
                                       .commutes = COMMUTE_ALL,
                                       .max_steps = 10000,
                                       .max_executions = limit,
                                       .ended = exploration_ended,
                                       .context = &x};
    const struct explorer_stats *stats = &x.explorer.stats;

    memset(outcome, 0, sizeof *outcome);
    outcome->states = malloc((limit + 1) * sizeof *outcome->states);
    if (!outcome->states || arena_open(&x.arena, ARENA_RESERVE) != 0 ||
        script_open(&x.script, program) != 0)
        abort();
    outcome->crowded = x.script.crowded;
    explorer_open(&x.explorer, &x.arena, &x.script.base, &options);
    if (!explorer_run(&x.explorer) || stats->asleep)
        snprintf(outcome->problem, sizeof outcome->problem,
                 "script: not deterministic, or %u runs were redundant under optimal",
                 (unsigned)stats->asleep);
    outcome->executions = stats->executions;
    outcome->given_up = stats->asleep + stats->assumes;
    outcome_settle(outcome);
    bool complete = stats->cut == 0;
    script_close(&x.script);
    arena_close(&x.arena);
    return complete;
}
