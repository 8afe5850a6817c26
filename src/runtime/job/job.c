#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "detect/future.h"
#include "explore/checkpoint.h"
#include "model/object.h"
#include "model/touch.h"
#include "runtime/channels/outside.h"
#include "runtime/core/heap.h"
#include "runtime/hooks/races.h"
#include "runtime/job/alike.h"
#include "runtime/job/endless.h"
#include "runtime/job/fingerprint.h"
#include "runtime/job/record.h"
#include "runtime/job/snapshot.h"
#include "runtime/job/work.h"
#include "runtime/program/memory_bug.h"
#include "runtime/program/native.h"
#include "runtime/report/names.h"
#include "runtime/report/source.h"
#include "runtime/signals/signals.h"

/* What the process does with its session: explores, or replays one schedule. */

static const struct raddle_site *site_of(const struct op *op)
{
    return (const struct raddle_site *)(uintptr_t)op->site;
}

static struct session_site session_site_of(const struct op *op)
{
    return native_session_site(site_of(op));
}

static struct native_thread *thread_of(agent_id agent)
{
    const struct world *world = native.world;

    return native.threads.at[world->agents.at[world->agents.at[agent].thread].key];
}

/* ---- bugs */

static bool text_equal(session_text a, session_text b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool bug_equal(const struct session_bug *a, const struct session_bug *b)
{
    return a->kind == b->kind && a->site.line == b->site.line &&
           text_equal(a->site.file, b->site.file) && text_equal(a->message, b->message);
}

static bool bug_is_new(const struct session_bug *bug)
{
    const struct session *session = native.session;

    for (uint32_t i = 0; i < session->bugs.count; i++)
        if (bug_equal(&session->bugs.at[i], bug))
            return false;
    return true;
}

/* A program that cannot have what it asked for may fail for that, and for nothing else. */
static session_text refused_detail(session_text detail)
{
    char text[8400];

    snprintf(text, sizeof text,
             "%s  before that, %s failed, which raddle does not model: on the bare system it may "
             "succeed, and then there may be no bug\n",
             detail ? detail : "", native.refused);
    return native_text(text);
}

static void bug_add(struct session_bug *bug)
{
    if (!bug_is_new(bug))
        return;
    if (native.refused) {
        bug->detail = refused_detail(bug->detail);
        bug->refused = native_text(native.refused);
    }
    session_schedule(native.session, bug);
    native.session->poor = source_is_poor();
    vec_push(&native.session->arena, &native.session->bugs, *bug);
}

static void finding_add(const struct finding *finding)
{
    const struct event *event = &native.session->explorer.execution.events.at[finding->event];
    const struct native_thread *thread = thread_of(event->agent);
    struct session_bug bug = {
        .kind = finding->bug, .thread = thread->number, .site = session_site_of(&event->op)};

    bug.message = native_text(finding->rule   ? finding->rule
                              : thread->crash ? thread->crash
                                              : "an assertion fails");
    if (native.session->steps.count)
        bug.stack = native.session->steps.at[record_step_of(finding->event)].stack;
    bug_add(&bug);
}

/* One line for each thread that cannot go on. */
static session_text deadlock_detail(void)
{
    char text[8192] = "";
    struct world *world = native.world;
    size_t used = 0;

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        const struct thread *thread = &world->threads.at[agent];

        if (!world->agents.at[agent].is_buffer && thread->status == THREAD_RUNNING)
            used += names_waiting(agent, &thread->pending, text + used, sizeof text - used);
    }
    return native_text(text);
}

/* A thread that waits for a signal may get it from outside, unless it has got one from the program before; one with a timeout goes on
 * in another run. */
static bool waits_for_outside(void)
{
    bool outside = false;

    for (uint32_t i = 0; i < native.threads.count; i++) {
        const struct native_thread *thread = native.threads.at[i];

        if (thread->agent == AGENT_NONE || signals_waits(thread->number) == SIGNALS_WAIT_NOT ||
            (signals_waits(thread->number) == SIGNALS_WAIT_ANY && signals_of(thread)->served > 0))
            continue;
        outside = true;
        if (signals_waits(thread->number) == SIGNALS_WAIT_ANY)
            native_unsupported("a signal from outside, which a thread waits for");
    }
    return outside;
}

/* A thread that waits in a loop, and not in a call that may also be cancelled. */
static bool is_loop(const struct op *op)
{
    return op_is_retry(op) || (op->kind == OP_AWAIT && op->variant != OBJECT_STRICT) ||
           (op->kind == OP_COND_TIMEOUT && op->value);
}

static bool is_join(const struct op *op)
{
    return op->kind == OP_THREAD_JOIN || (op->kind == OP_AWAIT && op->expect == OP_THREAD_JOIN);
}

static void deadlock_add(void)
{
    const struct world *world = native.world;
    struct session_bug bug = {.kind = BUG_SPIN};
    uint32_t loops = 0, blocked = 0;

    if (waits_for_outside() || signals_timer_is_due())
        return;

    for (uint32_t i = world->active.count; i-- > 0;) {
        agent_id agent = world->active.at[i];

        if (world->agents.at[agent].is_buffer || world->threads.at[agent].status != THREAD_RUNNING)
            continue;
        /* a thread that waits for another's end is seldom to blame */
        if (!bug.site.file || !is_join(&world->threads.at[agent].pending)) {
            bug.thread = thread_of(agent)->number;
            bug.site = session_site_of(&world->threads.at[agent].pending);
        }
        loops += is_loop(&world->threads.at[agent].pending);
        blocked += !is_loop(&world->threads.at[agent].pending) &&
                   !is_join(&world->threads.at[agent].pending);
    }
    if (loops == 0 || blocked > 0)
        bug.kind = BUG_DEADLOCK;
    bug.message = native_text(bug.kind == BUG_SPIN ? "loops wait for what nobody will change"
                                                   : "no thread can go on");
    bug.detail = deadlock_detail();
    record_waits();
    for (uint32_t i = 0; i < native.session->waits.count; i++)
        if (native.session->waits.at[i].thread == bug.thread)
            bug.stack = native.session->waits.at[i].stack;
    bug_add(&bug);
}

static void bugs_of_run(enum ending ending)
{
    const struct execution *x = &native.session->explorer.execution;

    if (ending == ENDING_DEADLOCK)
        deadlock_add();
    for (uint32_t i = 0; i < x->findings.count; i++)
        if (!x->events.at[x->findings.at[i].event].fatal) /* the driver has reported those */
            finding_add(&x->findings.at[i]);
}

/* ---- exploring */

/* One that may be due to raddle is not what was looked for, nor is a mere warning. */
static bool bug_is_found(void)
{
    const struct session *session = native.session;

    for (uint32_t i = 0; i < session->bugs.count; i++)
        if (!session->bugs.at[i].refused &&
            (!session->races_warn || session->bugs.at[i].kind != BUG_DATA_RACE))
            return true;
    return false;
}

/* What one of several processes finds out, all must know from the start. */
static bool found_out(const struct session *session)
{
    return session->work_fd && (session->outside || session->undo.outside ||
                                session->facts.count != session->work_facts);
}

/* Whether threads that stopped at memory errors shall go on there, in a search that begins anew. */
static bool memory_errors_pass(void)
{
    const struct execution *x = &native.session->explorer.execution;

    for (uint32_t i = 0; i < x->findings.count; i++)
        memory_bug_pass(thread_of(x->events.at[x->findings.at[i].event].agent));
    return native.session->begin_anew;
}

static bool run_judge(enum ending ending)
{
    if (native.session->explorer.execution.crowded)
        native.session->crowded = native.session->begin_anew = true;
    if (found_out(native.session))
        native.session->begin_anew = true;
    if (native.session->begin_anew || (ending == ENDING_DEADLOCK && outside_awaited()))
        return false;
    if (!races_of_run())
        return false;
    if (ending == ENDING_DEADLOCK || native.session->explorer.execution.findings.count) {
        if (!sampling_retrace(&native.session->explorer))
            return false;
        bugs_of_run(ending);
        if (memory_errors_pass())
            return false;
    }
    return native.session->keep_going || !bug_is_found();
}

static bool run_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct session *session = native.session;
    uint32_t bugs = session->bugs.count;
    bool goes_on = run_judge(ending);

    (void)context;
    if (explorer->states.stats.untold && !session->untold && parts_first_untold())
        session->untold = native_text(parts_first_untold());
    if (ending == ENDING_CUT)
        endless_note();
    if (session->tree.max)
        tree_end(&session->tree, explorer->execution.events.count,
                 tree_mark_of(explorer, ending,
                              session->bugs.count > bugs || explorer->execution.findings.count));
    return goes_on;
}

/* Only if a tree is wanted. */
static void run_takes(void *context, struct explorer *explorer, agent_id agent, outcome_id outcome)
{
    struct session *session = native.session;
    uint32_t depth = explorer->execution.events.count;
    struct op space;
    const struct op *op = world_pending(native.world, agent, &space);
    char text[300] = "";

    (void)context;
    if (op && tree_wants(&session->tree, depth))
        names_choice(agent, op, outcome, text, sizeof text);
    tree_step(&session->tree, depth, thread_of(agent)->number,
              native.world->agents.at[agent].is_buffer, text[0] ? native_text(text) : "");
}

/* Two operations that read the same: what is different about them. */
static const char *op_difference(const struct op *a, const struct op *b)
{
    if (a->site != b->site)
        return "asked for at another place in that line";
    if (a->addr != b->addr || a->mutex != b->mutex)
        return "at another address";
    if (a->size != b->size || a->order != b->order || a->variant != b->variant)
        return "of another size, order or kind";
    return op_infos[a->kind].object == OBJECT_CELL ? "with another value"
                                                   : "after the thread did something else";
}

/* What a thread did once, and what it does now. */
static void divergence_of_event(const struct event *event, char *text, size_t size)
{
    struct op space;
    const struct op *now = world_pending(native.world, event->agent, &space);
    char then_text[900], now_text[900] = "nothing";

    names_op(event->agent, &event->op, then_text, sizeof then_text);
    if (now)
        names_op(event->agent, now, now_text, sizeof now_text);
    if (now && strcmp(then_text, now_text) == 0)
        snprintf(text, size, "%s, and is now the same %s", then_text,
                 op_difference(&event->op, now));
    else
        snprintf(text, size, "%s, and is now %s", then_text, now_text);
}

static void divergence_note(const struct explorer *explorer)
{
    char text[2048];
    const struct execution *x = &explorer->execution;
    size_t used = (size_t)snprintf(text, sizeof text, "step %u was ", explorer->diverged + 1);

    if (explorer->adopting)
        snprintf(text + used, sizeof text - used, "another one when the checkpoint was taken");
    else if (explorer->diverged < x->events.count)
        divergence_of_event(&x->events.at[explorer->diverged], text + used, sizeof text - used);
    else
        snprintf(text + used, sizeof text - used, "one of T%u, which has none there now",
                 thread_of(explorer->missing)->number);
    native.session->divergence = native_text(text);
    native.session->phase = SESSION_DIVERGED;
}

/* What the detector knows of accesses to come is needed by all processes of the search. */
static const struct future_ops *futures_open(struct session *session)
{
    if (!session->futures) {
        session->futures = arena_alloc(&session->arena, sizeof(struct futures));
        memset(session->futures, 0, sizeof(struct futures));
    }
    future_open(session->futures, &session->arena);
    return &detect_future;
}

static void run_names(void *context, agent_id agent, const struct op *op, char *text, size_t size)
{
    (void)context;
    (void)agent;
    names_place(op, text, size);
}

/* Only if checkpoints are wanted. */
static void run_between(void *context, struct explorer *explorer)
{
    struct session *session = native.session;

    (void)context;
    (void)explorer;
    if (__atomic_load_n(&session->checkpoint.wanted, __ATOMIC_ACQUIRE))
        session_checkpoint_take(session);
}

static void options_settle(struct session *session, struct explorer_options *options)
{
    *options = session->options;
    options->memory = memory_find(session->model);
    options->reduction = reduction_find(session->reduction);
    options->search = search_find(session->search);
    options->brake = &session->brake;
    options->timeout = 0; /* the driver has the clock: this is not the first process, maybe */
    options->clocks = session->reads_clock;
    options->lenient = session->races_warn;
    options->ended = run_ended;
    options->takes = session->tree.max && session->job == SESSION_EXPLORE ? run_takes : NULL;
    options->between = session->checkpoint.kept ? run_between : NULL;
    options->names = run_names;
    options->context = NULL;
    options->forgets =
        native.detects && !session->remembers; /* else nobody sees a use after free */
    if (session->job == SESSION_REPLAY || session->job == SESSION_MINIMISE) {
        options->states = STATES_OFF;
        options->symmetry = SYMMETRY_OFF;
        options->commutes &= (uint8_t)~COMMUTE_INCREMENTS; /* what one run shows is to be exact */
    }
    if (session->job == SESSION_REPLAY || session->joins_matter)
        options->commutes &= (uint8_t)~COMMUTE_JOINS; /* they are to be seen: replay_joins */
    if (session->remembers || search_samples(options->search))
        options->commutes &= (uint8_t)~COMMUTE_INCREMENTS;
    if (session->crowded || signals_sent)
        options->commutes &= (uint8_t)~COMMUTE_BARRIERS;
    options->snapshots = options->states == STATES_OFF && options->symmetry == SYMMETRY_OFF &&
                                 !search_samples(options->search) && !native.records
                             ? snapshot_open(session)
                             : NULL;
    if (options->states != STATES_OFF && native.detects)
        options->futures = futures_open(session);
    CHECK(options->memory && options->reduction && options->search,
          "the driver asks for an unknown model, reduction or search");
}

/* Begins, or goes on with what a checkpoint has. */
static bool explore_begin(const struct explorer_options *options)
{
    struct session *session = native.session;
    struct bytes *from = &session->checkpoint.from;
    struct bytes_reader in = bytes_read(from);
    struct checkpoint_search search;
    bool good;

    if (from->data.count == 0) {
        explorer_open(&session->explorer, &session->arena, &native.base, options);
        return session->work_fd ? work_search(session, false) : explorer_run(&session->explorer);
    }
    good = checkpoint_read(&search, &session->arena, &in);
    CHECK(good, "the driver gave a checkpoint that is damaged");
    from->data.count = 0; /* if the search begins anew, it is one from the beginning */
    return checkpoint_go_on(&session->explorer, &session->arena, &native.base, options, &search);
}

/* Searches to the end, from the beginning each time that something new is known about the program. */
static int explore_all(bool resumed)
{
    struct session *session = native.session;
    struct explorer_options options;
    bool done;

    fingerprint_prepare();
    do {
        options_settle(session, &options);
        session->begin_anew = false;
        session->phase = SESSION_RUNNING;
        options.clocks = session->reads_clock;
        if (resumed) {
            session->explorer.options.futures = session->explorer.states.futures = options.futures;
            session->explorer.options.ended = run_ended;
            session->explorer.options.takes = session->tree.max ? run_takes : NULL;
            session->explorer.options.between = options.between;
            session->explorer.options.names = options.names;
            session->explorer.options.snapshots = options.snapshots;
            done =
                session->work_fd ? work_search(session, true) : explorer_resume(&session->explorer);
        } else {
            if (session->tree.max)
                tree_open(&session->tree, &session->arena, session->tree.max);
            done = explore_begin(&options);
        }
        resumed = false;
    } while (done && session->begin_anew && !session->work_fd); /* else all have to */
    if (session->checkpoint.kept && checkpoint_is_due(&session->explorer))
        session_checkpoint_take(session);
    if (done)
        session->phase = SESSION_DONE;
    else
        divergence_note(&session->explorer);
    return 0;
}

int native_explore(void)
{
    return explore_all(false);
}

/* All of the explorer is in shared memory, and this library is where it was: nothing has to be set up but the target. If the process
 * ended in a run that had just shown something new about the program, the steps of that run are others now. */
int native_resume_search(void)
{
    return explore_all(!native.session->begin_anew);
}

/* ---- replaying */

/* The agent that a recorded choice names, or AGENT_NONE if there is no such agent now. */
static agent_id agent_of(const struct session_choice *choice)
{
    struct world *world = native.world;

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];

        if (thread_of(agent)->number == choice->thread &&
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
        uint32_t name = wakes ? thread_of(x->outcomes.at[i])->number : x->outcomes.at[i];

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
                                .site = session_site_of(&event->op),
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

/* Does what was chosen. False, with the divergence noted, if that is not possible. */
static bool replay_step(const struct session_choice *choice, uint32_t number)
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

static void replay_open(struct session *session)
{
    struct explorer_options options;

    options_settle(session, &options);
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
        if (!replay_next((struct session_choice){.thread = thread_of(agent)->number}))
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

/* ---- making a schedule shorter */

/* How many events of the last run that showed the bug it takes to show it: a race may show before the end. */
static uint32_t minimise_events; /* outlives a run: told when it has ended */

static bool minimise_same(void *context, struct explorer *explorer, enum ending ending)
{
    const struct session_bug *wanted = context;
    struct session *session = native.session;
    bool same = false;

    (void)explorer;
    session->bugs.count = session->schedules.count = 0;
    races_forget();
    if (!session->races_warn || wanted->kind == BUG_DATA_RACE)
        races_of_run();
    bugs_of_run(ending);
    for (uint32_t i = 0; i < session->bugs.count && !session->begin_anew && !same; i++)
        if (bug_equal(&session->bugs.at[i], wanted)) {
            minimise_events = session->bugs.at[i].schedule_count;
            same = true;
        }
    return same;
}

/* At each moment the schedule in the session is a good one, should the program take the process with it. */
static void minimise_better(void *context, struct explorer *explorer)
{
    struct session *session = native.session;
    const struct execution *x = &explorer->execution;

    (void)context;
    session->schedule.count = 0;
    for (event_id id = 0; id < x->events.count && id < minimise_events; id++)
        vec_push(&session->arena, &session->schedule,
                 session_choice_of(session, &x->events.at[id]));
}

/* The bug of the run that is to be made short: the one that reads the same; else the first of its kind, or of all. */
static uint32_t minimise_wanted(const struct session *session)
{
    uint32_t wanted = 0;

    for (uint32_t i = session->bugs.count; i-- > 0;) {
        if (session->bugs.at[i].kind != session->wanted)
            continue;
        if (text_equal(session->bugs.at[i].message, session->wanted_message))
            return i;
        wanted = i;
    }
    return wanted;
}

int native_minimise(void)
{
    struct session *session = native.session;
    struct session_bug wanted;
    struct minimise_goal goal = {.same = minimise_same,
                                 .better = minimise_better,
                                 .context = &wanted,
                                 .seconds = session->minimise_seconds};

    replay_open(session);
    for (uint32_t i = 0; i < session->schedule.count; i++)
        if (!replay_step(&session->schedule.at[i], i))
            return 0;
    races_of_run();
    bugs_of_run(explorer_ending(&session->explorer));
    if (session->bugs.count > 0) {
        wanted = session->bugs.at[minimise_wanted(session)];
        minimise(&session->explorer, &goal, &session->minimised);
    }
    session->phase = SESSION_DONE;
    return 0;
}
