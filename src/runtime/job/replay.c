#include "runtime/job/replay.h"

#include <stdio.h>

#include "model/object.h"
#include "model/touch.h"
#include "runtime/hooks/races.h"
#include "runtime/job/alike.h"
#include "runtime/job/bugs.h"
#include "runtime/job/job.h"
#include "runtime/job/record.h"
#include "runtime/report/names.h"

/* One run, by its schedule. */

/* The agent that a recorded choice names, or AGENT_NONE if there is no such agent now. */
static agent_id agent_of(const struct session_choice *choice)
{
    struct world *world = native.world;

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];

        if (job_thread_of(agent)->number == choice->thread &&
            world->agents.at[agent].is_buffer == choice->is_buffer &&
            world->agents.at[agent].addr == choice->addr)
            return agent;
    }
    return AGENT_NONE;
}

/* The outcome, if the agent can take it now. */
static bool outcome_of(agent_id agent, const struct session_choice *choice, outcome_id *outcome)
{
    struct execution *x = &native.session->explorer.execution;

    world_outcomes(native.world, agent, &x->outcomes);
    for (uint32_t i = 0; i < x->outcomes.count; i++) {
        bool wakes = native.world->threads.at[agent].pending.kind == OP_COND_SIGNAL &&
                     !choice->is_buffer && x->outcomes.at[i] != OUTCOME_LOST;
        uint32_t name = wakes ? job_thread_of(x->outcomes.at[i])->number : x->outcomes.at[i];

        *outcome = x->outcomes.at[i];
        if (name == choice->outcome)
            return true;
    }
    return false;
}

/* Of the step that was just done, when it was still to come. Outlives a run: a replay is the only one. */
static uint32_t step_stack;

/* How many steps had been done when the store that was just flushed went into the buffer: at least those up to its thread's own. */
static uint32_t steps_before_store(agent_id agent)
{
    const struct buffer *buffer = &native.world->buffers.at[agent];
    event_id issued = buffer->stores.at[buffer->head - 1].issued;

    return issued == EVENT_NONE ? 0 : record_step_of(issued) + 1;
}

static void step_note(const struct session_choice *choice, const struct event *event)
{
    char text[512], object[256];
    struct session *session = native.session;
    struct session_step step = {.choice = *choice,
                                .op = event->op.kind,
                                .order = names_order(&event->op),
                                .failed = names_failed(event),
                                .site = job_site_of(&event->op),
                                .size = event->op.size,
                                .stack = step_stack};

    names_step(event, text, sizeof text);
    names_object(&event->op, object, sizeof object);
    step.text = native_text(text);
    step.object = object[0] ? native_text(object) : NULL;
    step.reads = event->op.kind == OP_LOAD || event->op.kind == OP_RMW || event->op.kind == OP_CAS;
    step.writes = event->op.kind == OP_STORE || event->op.kind == OP_FLUSH ||
                  event->op.kind == OP_RMW || (event->op.kind == OP_CAS && !step.failed);
    step.buffered = event->op.kind == OP_STORE && event->op.order != ORDER_SEQ_CST &&
                    world_is_buffered(native.world); /* under a bound: else it is no event */
    step.value = (uint64_t)(step.reads                   ? event->result
                            : event->op.kind == OP_FLUSH ? event->op.expect
                                                         : event->op.value);
    if (step.object && op_infos[step.op].object != OBJECT_THREAD)
        step.cell = event->op.addr;
    if (event->op.kind == OP_FLUSH)
        step.issued = steps_before_store(event->agent);
    vec_push(&session->arena, &session->steps, step);
    record_step(&event->op);
}

bool replay_step(const struct session_choice *choice, uint32_t number)
{
    char text[256];
    struct session *session = native.session;
    struct execution *x = &session->explorer.execution;
    agent_id agent = agent_of(choice);
    outcome_id outcome;

    if (agent == AGENT_NONE || !world_enabled(native.world, agent) ||
        !outcome_of(agent, choice, &outcome)) {
        snprintf(text, sizeof text, "step %u: T%u cannot do now what it did then", number + 1,
                 choice->thread);
        session->divergence = native_text(text);
        session->phase = SESSION_DIVERGED;
        return false;
    }
    step_stack = record_stack(agent);
    execution_append(x, agent, outcome);
    races_cut(x, 0);
    return true;
}

void replay_open(struct session *session)
{
    struct explorer_options options;

    job_options(session, &options);
    explorer_open(&session->explorer, &session->arena, &native.base, &options);
    if (session->compares)
        symmetry_open(&session->explorer.symmetry, &session->explorer.execution);
    session->phase = SESSION_RUNNING;
    record_open();
    world_restart(native.world);
    record_start();
}

static void replay_compared(struct session *session)
{
    struct symmetry *symmetry = &session->explorer.symmetry;

    alike_note();
    session->told_apart =
        symmetry_tells_apart(symmetry, world_thread(native.world, session->compared[0]),
                             world_thread(native.world, session->compared[1]));
}

/* The next step of the schedule as it is being made. */
static bool replay_next(struct session_choice choice)
{
    struct session *session = native.session;

    if (session->compares)
        alike_note();
    vec_push(&session->arena, &session->schedule, choice);
    if (!replay_step(&choice, session->schedule.count - 1))
        return false;
    step_note(&choice, &vec_last(&session->explorer.execution.events));
    if (session->compares)
        symmetry_event(&session->explorer.symmetry);
    return true;
}

/* Whether a thread is about to join one that has ended. */
static bool can_join(agent_id agent)
{
    struct world *world = native.world;
    const struct op *op = &world->threads.at[agent].pending;
    struct footprint footprint; /* large: not to be cleared */

    return !world->agents.at[agent].is_buffer &&
           world->threads.at[agent].status == THREAD_RUNNING && op->kind == OP_THREAD_JOIN &&
           op_touch(world, &view_now, agent, op, &footprint, NULL) == TOUCH_DONE;
}

/* The first thread that can, or AGENT_NONE. */
static agent_id joiner_find(void)
{
    const struct world *world = native.world;

    for (uint32_t i = 0; i < world->active.count; i++)
        if (can_join(world->active.at[i]))
            return world->active.at[i];
    return AGENT_NONE;
}

/* Joins that belonged to other steps when the schedule was made are steps here: whoever reads about the run wants to see them. All that can be done are
 * done, or, if there is a `next` choice, as few as let that follow: fewer switches are easier to read. */
static bool replay_joins(const struct session_choice *next)
{
    for (;;) {
        agent_id agent = next ? agent_of(next) : AGENT_NONE;

        if (agent != AGENT_NONE && native.world->threads.at[agent].pending.kind != OP_THREAD_JOIN)
            return true;
        if (agent == AGENT_NONE || !can_join(agent))
            agent = joiner_find();
        if (agent == AGENT_NONE)
            return true;
        if (!replay_next((struct session_choice){.thread = job_thread_of(agent)->number}))
            return false;
    }
}

int native_replay(void)
{
    struct session *session = native.session;
    bool joins = session->options.commutes & COMMUTE_JOINS;
    bool at_once =
        session->wanted == BUG_DATA_RACE; /* what comes behind a join may be part of it */
    session_choice_vec given = {0};

    for (uint32_t i = 0; i < session->schedule.count; i++)
        vec_push(&session->arena, &given, session->schedule.at[i]);
    session->schedule.count = 0;
    replay_open(session);
    for (uint32_t i = 0; i < given.count; i++)
        if ((joins && !replay_joins(at_once ? NULL : &given.at[i])) || !replay_next(given.at[i]))
            return 0;
    if (joins && !replay_joins(NULL))
        return 0;
    if (session->compares)
        replay_compared(session);
    races_of_run();
    bugs_of_run(explorer_ending(&session->explorer));
    session->phase = SESSION_DONE;
    return 0;
}
