#include "explore/cut.h"
#include "explore/states_inner.h"
#include "model/touch.h"

/* An operation u is known to follow the state where a run stops, but not what comes in between, w; and u could have come before event d = `first`. The sequence to be explored
 * from the state before d is S.u: S are those of the events between d and the end of the run, and of w, that do not happen after d. With source sets one
 * initial of it has to be tried there, or to be asleep.
 *
 * That an agent of S.u is tried is not enough, as it is where all races are reversed by persistent sets. What has to come before that agent shows as a race, but source
 * sets may reverse that race by another initial, which need not be one of S.u (tests/engine/kept/exact-initial-between.script). */

/* ---- initials that are known: whatever w is, they stay initials */

/* The first event between `first` and `end` that does not happen after `first`; or EVENT_NONE. */
static event_id initial_find(const struct execution *x, event_id first, event_id end)
{
    event_id id = first + 1;

    while (id < end && happens_before(x, first, id))
        id++;
    return id < end ? id : EVENT_NONE;
}

/* Whether one of them is tried before `first`, or asleep there. `start` is the first one. */
static bool initial_is_covered(const struct states *states, event_id first, event_id start,
                               event_id end)
{
    const struct execution *x = states->execution;

    for (event_id id = start; id < end; id++) {
        const struct event *event = &x->events.at[id];
        struct choice choice = {event->agent, event->outcome, event_wakes(event)};

        if (event->after <= start && !happens_before(x, first, id) &&
            (nodes_have(states->nodes, first, event->agent) ||
             sleep_has(&states->nodes->sleep, first, choice)))
            return true;
    }
    return false;
}

/* ---- if there is none: agents of which one is an initial, whatever w is */

/* Those that are tried, `members`: the agent of u, and with each agent all others whose operations in S conflict with the next one of that agent. The first member that does something in S is an
 * initial: those before it do not conflict with it. */
struct company {
    struct states *states;
    const struct summary_held *held;
    event_id first;
    struct footprint footprint; /* of the next operation of a member */
};

static bool company_has(const struct company *company, agent_id agent)
{
    for (uint32_t i = 0; i < company->states->company.count; i++)
        if (company->states->company.at[i] == agent)
            return true;
    return false;
}

/* A buffer that was empty before `first` has nothing to do in S unless its thread has. */
static void company_add(struct company *company, agent_id agent)
{
    struct states *states = company->states;
    const struct agent *it = &states_world(states)->agents.at[agent];

    if (it->is_buffer && !enabled_has(&states->enabled, company->first, agent))
        agent = it->thread;
    if (!company_has(company, agent))
        vec_push(states->arena, &states->company, agent);
}

/* What a member does next in the state before `first`, where it is enabled. False if nobody can tell what that touches. */
static bool member_touches(struct company *company, agent_id agent)
{
    struct execution *x = company->states->execution;
    struct cut cut = cut_at(x, company->first);
    const struct op *op = NULL;
    struct op space;

    for (event_id id = agent < x->latest.count ? x->latest.at[agent] : EVENT_NONE;
         id != EVENT_NONE && id > company->first; id = x->events.at[id].prev)
        op = &x->events.at[id].op;
    if (!op)
        op = world_pending(x->world, agent, &space);
    return op && op->kind != OP_SECTION_BEGIN &&
           op_touch(x->world, &cut.view, agent, op, &company->footprint, NULL) != TOUCH_DISABLED;
}

/* An operation that may be in w. */
static void add_visible(void *context, const struct visible *op)
{
    struct company *company = context;
    struct states *states = company->states;
    struct vclock known;

    if (company_has(company, op->agent) ||
        !accesses_conflict(company->footprint.at, company->footprint.count,
                           &states->visibles.accesses.at[op->accesses], op->access_count))
        return;
    known = states_clock_at(states, op->agent, company->held->end);
    if (!clock_has(states->execution, known, company->first))
        company_add(company, op->agent);
}

static void add_event(struct company *company, event_id id)
{
    const struct execution *x = company->states->execution;
    const struct event *event = &x->events.at[id];

    if (happens_before(x, company->first, id))
        return;
    for (uint32_t i = 0; i < event->access_count; i++)
        if (accesses_conflict(&x->accesses.at[event->accesses + i].access, 1, company->footprint.at,
                              company->footprint.count))
            company_add(company, event->agent);
}

/* False: nobody can tell who has to be in it, or there are more than that. */
static bool company_gather(struct company *company, const struct suspect *suspect, uint32_t most)
{
    struct states *states = company->states;

    states->company.count = 0;
    company_add(company, suspect->agent);
    for (uint32_t i = 0; i < states->company.count; i++) {
        agent_id agent = states->company.at[i];

        if (!enabled_has(&states->enabled, company->first, agent) ||
            !member_touches(company, agent))
            return false;
        for (event_id id = company->first + 1; id < company->held->end; id++)
            add_event(company, id);
        opset_each(&states->visibles, company->held->set, add_visible, company);
        if (states->company.count > most)
            return false;
    }
    return true;
}

static bool all_are_planned(const struct states *states, event_id first)
{
    uint32_t count;
    const agent_id *agents = enabled_at(&states->enabled, first, &count);

    for (uint32_t i = 0; i < count; i++)
        if (!nodes_have(states->nodes, first, agents[i]))
            return false;
    return true;
}

/* False: nobody can tell who is in it. So it is where the run has gone on behind `end`: its state there is not the present one. */
static bool plan_company(struct states *states, const struct summary_held *held, event_id first,
                         const struct suspect *suspect, uint32_t most)
{
    struct company company = {.states = states, .held = held, .first = first};

    if (held->end < states->execution->events.count || !company_gather(&company, suspect, most))
        return false;
    for (uint32_t i = 0; i < states->company.count; i++)
        nodes_plan(states->nodes, first, (struct choice){states->company.at[i], OUTCOME_ANY, 0},
                   false);
    return true;
}

void states_reverse(struct states *states, const struct summary_held *held, event_id first,
                    const struct suspect *suspect, bool certain)
{
    const struct execution *x = states->execution;
    event_id start;

    if (!states->nodes->sleeping) { /* all races are reversed by persistent sets */
        enabled_reverse(&states->enabled, states->nodes, first, suspect->agent, suspect->pre);
        return;
    }
    if (all_are_planned(states, first))
        return;
    /* if u may have to come before others than `first` as well, these may not be in S */
    start = certain ? initial_find(x, first, held->end) : EVENT_NONE;
    if (start != EVENT_NONE && initial_is_covered(states, first, start, held->end))
        return;
    /* what has nothing to do with u would be tried in all its ways again before the run comes to a known state */
    if (plan_company(states, held, first, suspect, start == EVENT_NONE ? UINT32_MAX : 1))
        return;
    if (start == EVENT_NONE)
        enabled_plan(&states->enabled, states->nodes, first);
    else
        nodes_plan(states->nodes, first, (struct choice){x->events.at[start].agent, OUTCOME_ANY, 0},
                   false);
}
