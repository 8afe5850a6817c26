#include "explore/minimise.h"
#include "runtime/hooks/races.h"
#include "runtime/job/bugs.h"
#include "runtime/job/job.h"
#include "runtime/job/replay.h"

/* Makes a schedule shorter that shows a bug. */

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
        if (bug_text_equal(session->bugs.at[i].message, session->wanted_message))
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
