#include "explore/sequence.h"

static void step_add(struct sequence *v, struct execution *x, struct choice choice, event_id event,
                     uint32_t count)
{
    vec_push(x->arena, &v->steps,
             (struct sequence_step){.choice = choice, .event = event, .access_count = count});
}

/* Notes the first step of each agent. */
static void firsts_note(struct sequence *v, struct execution *x)
{
    while (v->first.count < x->world->agents.count)
        vec_push(x->arena, &v->first, (struct sequence_first){0, 0});
    v->stamp++;
    for (uint32_t i = 0; i < v->steps.count; i++) {
        struct sequence_first *first = &v->first.at[v->steps.at[i].choice.agent];

        if (first->stamp != v->stamp)
            *first = (struct sequence_first){v->stamp, i};
    }
}

static void event_add(struct sequence *v, struct execution *x, event_id id)
{
    const struct event *event = &x->events.at[id];

    for (uint32_t i = 0; i < event->access_count; i++)
        vec_push(x->arena, &v->accesses, x->accesses.at[event->accesses + i].access);
    step_add(v, x, (struct choice){event->agent, event->outcome}, id, event->access_count);
}

void sequence_build(struct sequence *v, struct execution *x, const struct race *race)
{
    const struct access *accesses;

    v->steps.count = v->accesses.count = v->start = 0;
    vec_reserve(x->arena, &v->accesses, 1); /* so that no accesses are somewhere */
    for (event_id id = race->first + 1; id < x->events.count; id++)
        if (!happens_before(x, race->first, id))
            event_add(v, x, id);
    for (uint32_t i = 0; i < race->access_count; i++)
        vec_push(x->arena, &v->accesses, race_accesses(x, race)[i]);
    step_add(v, x, (struct choice){race->agent, race->outcome}, EVENT_NONE, race->access_count);
    vec_last(&v->steps).inexact = race->inexact;
    v->pre = race_pre(x, race);
    accesses = v->accesses.at; /* only now: the array has stopped moving */
    for (uint32_t i = 0; i < v->steps.count; i++) {
        v->steps.at[i].accesses = accesses;
        accesses += v->steps.at[i].access_count;
    }
    firsts_note(v, x);
}

static bool steps_conflict(const struct sequence_step *a, const struct sequence_step *b)
{
    return a->inexact || b->inexact ||
           accesses_conflict(a->accesses, a->access_count, b->accesses, b->access_count);
}

bool sequence_is_initial(const struct sequence *v, const struct execution *x, uint32_t i)
{
    const struct sequence_step *step = &v->steps.at[i];

    for (uint32_t j = v->start; j < i; j++) {
        const struct sequence_step *earlier = &v->steps.at[j];

        if (step->event != EVENT_NONE
                ? happens_before(x, earlier->event, step->event)
                : clock_has(x, v->pre, earlier->event) || steps_conflict(earlier, step))
            return false;
    }
    return true;
}

uint32_t sequence_first(const struct sequence *v, agent_id agent)
{
    return agent < v->first.count && v->first.at[agent].stamp == v->stamp ? v->first.at[agent].step
                                                                          : UINT32_MAX;
}

bool sequence_may_start(const struct sequence *v, const struct execution *x,
                        const struct branch *branch, uint32_t *at)
{
    *at = sequence_first(v, branch->choice.agent);
    if (*at != UINT32_MAX)
        return v->steps.at[*at].choice.outcome == branch->choice.outcome &&
               sequence_is_initial(v, x, *at);
    for (uint32_t i = v->start; i < v->steps.count; i++)
        if (v->steps.at[i].inexact || branch->inexact ||
            accesses_conflict(v->steps.at[i].accesses, v->steps.at[i].access_count,
                              branch->accesses, branch->access_count))
            return false;
    return true;
}

/* What is removed is near the front, for trees are followed from there: so the few before it move, not the many behind. */
void sequence_remove(struct sequence *v, uint32_t i)
{
    struct sequence_first *first = &v->first.at[v->steps.at[i].choice.agent];
    uint32_t next = i + 1;

    while (next < v->steps.count && v->steps.at[next].choice.agent != v->steps.at[i].choice.agent)
        next++;
    if (first->step == i)
        first->step = next < v->steps.count ? next : UINT32_MAX;
    for (uint32_t k = i; k > v->start; k--) {
        v->steps.at[k] = v->steps.at[k - 1];
        first = &v->first.at[v->steps.at[k].choice.agent];
        if (first->step == k - 1)
            first->step = k;
    }
    v->start++;
}
