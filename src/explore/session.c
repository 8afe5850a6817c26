#include "explore/session.h"

struct session_choice session_choice_of(const struct session *session, const struct event *event)
{
    const struct world *world = &session->explorer.world;
    const struct agent *agent = &world->agents.at[event->agent];
    bool wakes = event->op.kind == OP_COND_SIGNAL && event->outcome != OUTCOME_LOST;

    return (struct session_choice){.thread = (uint32_t)world->agents.at[agent->thread].key,
                                   .is_buffer = agent->is_buffer,
                                   .addr = agent->addr,
                                   .outcome = wakes ? (uint32_t)world->agents.at[event->outcome].key
                                                    : event->outcome};
}

bool session_knows(const struct session *session, uint64_t key)
{
    for (uint32_t i = 0; i < session->facts.count; i++)
        if (session->facts.at[i].key == key)
            return true;
    return false;
}

void session_schedule(struct session *session, struct session_bug *bug)
{
    const struct execution *x = &session->explorer.execution;

    bug->schedule_first = session->schedules.count;
    bug->schedule_count = x->events.count;
    bug->exposed = session->exposed.count;
    bug->facts = session->facts.count;
    bug->commutes = session->explorer.world.commutes;
    /* the driver asks, too: pointers to tables of the process mean nothing there */
    if (!session->explorer.world.merges_lives ||
        (memory_find(session->model)->buffered && session->explorer.world.buffer_bound != 0))
        bug->commutes &= (uint8_t)~COMMUTE_JOINS;
    for (event_id id = 0; id < x->events.count; id++)
        vec_push(&session->arena, &session->schedules,
                 session_choice_of(session, &x->events.at[id]));
}
