#include "runtime/job/bugs.h"

#include <stdio.h>
#include <string.h>

#include "model/object.h"
#include "runtime/job/record.h"
#include "runtime/report/names.h"
#include "runtime/report/source.h"
#include "runtime/signals/signals.h"

static const struct raddle_site *site_of(const struct op *op)
{
    return (const struct raddle_site *)(uintptr_t)op->site;
}

struct session_site job_site_of(const struct op *op)
{
    return native_session_site(site_of(op));
}

struct native_thread *job_thread_of(agent_id agent)
{
    const struct world *world = native.world;

    return native.threads.at[world->agents.at[world->agents.at[agent].thread].key];
}

/* ---- which ones */

bool bug_text_equal(session_text a, session_text b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool bug_equal(const struct session_bug *a, const struct session_bug *b)
{
    return a->kind == b->kind && a->site.line == b->site.line &&
           bug_text_equal(a->site.file, b->site.file) && bug_text_equal(a->message, b->message);
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
    const struct native_thread *thread = job_thread_of(event->agent);
    struct session_bug bug = {
        .kind = finding->bug, .thread = thread->number, .site = job_site_of(&event->op)};

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
            bug.thread = job_thread_of(agent)->number;
            bug.site = job_site_of(&world->threads.at[agent].pending);
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

void bugs_of_run(enum ending ending)
{
    const struct execution *x = &native.session->explorer.execution;

    if (ending == ENDING_DEADLOCK)
        deadlock_add();
    for (uint32_t i = 0; i < x->findings.count; i++)
        if (!x->events.at[x->findings.at[i].event].fatal) /* the driver has reported those */
            finding_add(&x->findings.at[i]);
}
