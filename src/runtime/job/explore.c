#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "detect/future.h"
#include "explore/checkpoint.h"
#include "runtime/channels/outside.h"
#include "runtime/hooks/races.h"
#include "runtime/job/bugs.h"
#include "runtime/job/endless.h"
#include "runtime/job/fingerprint.h"
#include "runtime/job/job.h"
#include "runtime/job/snapshot.h"
#include "runtime/job/work.h"
#include "runtime/program/memory_bug.h"
#include "runtime/report/names.h"
#include "runtime/signals/signals.h"

/* Searching: all runs of the program, from the beginning or from where another process left off. */

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
        memory_bug_pass(job_thread_of(x->events.at[x->findings.at[i].event].agent));
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
    tree_step(&session->tree, depth, job_thread_of(agent)->number,
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
                 job_thread_of(explorer->missing)->number);
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

void job_options(struct session *session, struct explorer_options *options)
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
        job_options(session, &options);
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
