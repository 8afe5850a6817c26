#include "engine_api.h"

#include <stdio.h>
#include <string.h>

#include "explore/explorer.h"
#include "script/target.h"

#define ARENA_RESERVE ((size_t)1 << 32)

/* One run of the engine for the harness. */
struct session {
    struct script script;
    struct arena arena;
    struct explorer explorer;
    VEC(struct oracle_choice) schedule;
    bool (*each)(void *ctx, const struct engine_execution *);
    void *ctx;
};

static uint64_t session_cell(const struct engine_execution *execution, uint32_t decl,
                             uint32_t element)
{
    const struct session *session = execution->engine;
    unsigned size = session->script.program->decls[decl].size;

    return (uint64_t)script_cell(&session->script, decl, element) & (UINT64_MAX >> (64 - 8 * size));
}

static int64_t session_reg(const struct engine_execution *execution, uint32_t thread, reg_id reg)
{
    const struct session *session = execution->engine;

    return script_reg(&session->script, thread, reg);
}

/* An event in the oracle's words. */
static struct oracle_choice choice_of(const struct session *session, const struct event *event)
{
    const struct world *world = &session->explorer.world;
    const struct agent *agent = &world->agents.at[event->agent];
    struct oracle_choice choice = {.thread = script_thread_of(world, event->agent),
                                   .is_buffer = agent->is_buffer,
                                   .outcome = event->outcome};
    uint64_t offset;

    if (event->op.kind == OP_COND_SIGNAL && event->outcome != OUTCOME_LOST)
        choice.outcome = script_thread_of(world, event->outcome);
    if (agent->is_buffer && world->memory == &memory_pso) {
        choice.decl = script_locate(&session->script, agent->addr, &offset);
        if (session->script.program->decls[choice.decl].kind != OBJECT_CELL) {
            choice.element = (uint32_t)offset; /* of a spinlock that is given back */
            return choice;
        }
        choice.element = (uint32_t)(offset / session->script.program->decls[choice.decl].size);
        choice.byte = (uint32_t)(offset % session->script.program->decls[choice.decl].size);
    }
    return choice;
}

static bool has_finding(const struct execution *x)
{
    return x->findings.count > 0;
}

static bool session_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct session *session = context;
    const struct execution *x = &explorer->execution;
    struct engine_execution execution = {.blocked =
                                             ending == ENDING_ASLEEP || ending == ENDING_KNOWN,
                                         .assume_failed = x->failed_assumes.count > 0,
                                         .deadlock = ending == ENDING_DEADLOCK,
                                         .bug = has_finding(x),
                                         .cell = session_cell,
                                         .reg = session_reg,
                                         .engine = session};

    session->schedule.count = 0;
    for (event_id id = 0; id < x->events.count; id++)
        vec_push(&session->arena, &session->schedule, choice_of(session, &x->events.at[id]));
    execution.schedule = session->schedule.at;
    execution.length = session->schedule.count;
    return session->each(session->ctx, &execution);
}

uint64_t engine_address(const struct program *program, uint32_t decl)
{
    struct script script;
    uint64_t address;

    if (script_open(&script, program) != 0)
        return 0;
    address = script_address(&script, decl);
    script_close(&script);
    return address;
}

static const struct reduction_ops *reduction_of(const char *name)
{
    char first[32];

    snprintf(first, sizeof first, "%.*s", (int)strcspn(name, "+:"), name);
    return reduction_find(first);
}

static enum states_kind states_of(const char *name)
{
    const char *plus = strchr(name, '+');

    if (strstr(name, "+exact"))
        return STATES_EXACT;
    if (plus && strcmp(plus, "+symmetry") == 0)
        return STATES_SUMMARIES;
    if (!plus || strcmp(plus, "+new") == 0)
        return STATES_OFF;
    if (strcmp(plus, "+auto") == 0)
        return STATES_AUTO;
    return strcmp(plus, "+delta") == 0 ? STATES_DELTA : STATES_EXACT;
}

static enum symmetry_kind symmetry_of(const char *name)
{
    return strstr(name, "+symmetry") ? SYMMETRY_ALL
           : strstr(name, "+new")    ? SYMMETRY_NEW
                                     : SYMMETRY_OFF;
}

bool engine_run(const struct program *program, const struct engine_config *config,
                bool (*each)(void *ctx, const struct engine_execution *), void *ctx,
                struct engine_stats *stats)
{
    struct session session = {.each = each, .ctx = ctx};
    const struct search_ops *search = search_find(config->reduction);
    struct explorer_options options = {
        .reduction = search ? reductions[0] : reduction_of(config->reduction),
        .states = states_of(config->reduction),
        .symmetry = symmetry_of(config->reduction),
        .all_races = strstr(config->reduction, ":all") != NULL,
        .shares = strstr(config->reduction, ":short") != NULL,
        .states_after = 3,
        .states_trial = 15,
        .symmetry_trial = config->order ? config->order % 3 : NO_LIMIT,
        .forgets = true,
        .commutes = (uint8_t)(COMMUTE_ALL & ~config->apart),
        .search = search,
        .runs = ENGINE_SAMPLES,
        .turn_steps = 10, /* so that small searches take many turns */
        .memory = memory_find(config->model),
        .buffer_bound = (uint32_t)config->buffer_bound,
        .preemption_bound = (uint32_t)config->preemption_bound,
        .spurious_bound = (uint32_t)config->spurious,
        .max_steps = 10000,
        .max_executions = NO_LIMIT,
        .seed = config->order,
        .ended = session_ended,
        .context = &session,
    };
    const struct explorer_stats *done = &session.explorer.stats;
    bool ok;

    _Static_assert((uint32_t)ORACLE_UNBOUNDED == BUFFER_UNBOUNDED, "the same sentinel");
    _Static_assert((uint32_t)ORACLE_UNBOUNDED == NO_BOUND, "the same sentinel");
    if (arena_open(&session.arena, ARENA_RESERVE) != 0 ||
        script_open(&session.script, program) != 0)
        return false;
    explorer_open(&session.explorer, &session.arena, &session.script.base, &options);
    ok = explorer_run(&session.explorer);
    stats->executions = done->executions + done->assumes;
    stats->blocked = done->asleep + done->states.revisited;
    stats->traces = done->sampled.traces;
    stats->saved = done->symmetry.saved;
    ok = ok && !(done->cut & CUT_MAX_STEPS);
    script_close(&session.script);
    arena_close(&session.arena);
    return ok;
}
