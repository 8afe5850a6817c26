#include "explore/minimise.h"

#include <time.h>

/* Steps that a thread may be ahead of the plan so that another can go on. */
#define HELP_STEPS 8

typedef VEC(struct choice) choice_vec;

struct minimiser {
    struct explorer *explorer;
    const struct minimise_goal *goal;
    double deadline;
    double patience; /* seconds of work without anything better after which it is enough */
    double progress; /* when something better was found last */
    choice_vec best;
    struct minimise_cost cost;  /* of the best */
    struct explorer_state here; /* how the present run came to its present state */
    uint32_t preemptions;       /* that a run may have, or NO_BOUND */
    choice_vec plan;            /* the next one to try */
    struct minimise_result *result;
    VEC(uint32_t) done;  /* by agent: how many of its events are in the plan */
    VEC(event_id) next;  /* by agent: its first event that is not, or EVENT_NONE */
    VEC(bool) wanted;    /* by event: whether the plan shall have it */
    VEC(event_id) later; /* by event: the next wanted one of its agent, or EVENT_NONE */
};

static double clock_seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool time_is_up(const struct minimiser *m)
{
    return explorer_is_braked(m->explorer) || clock_seconds(CLOCK_MONOTONIC) > m->deadline ||
           clock_seconds(CLOCK_PROCESS_CPUTIME_ID) > m->progress + m->patience;
}

static bool is_buffer(const struct minimiser *m, agent_id agent)
{
    return m->explorer->world.agents.at[agent].is_buffer;
}

static bool cost_is_less(struct minimise_cost a, struct minimise_cost b)
{
    return a.switches != b.switches ? a.switches < b.switches : a.steps < b.steps;
}

static struct minimise_cost cost_of_run(const struct minimiser *m)
{
    const struct execution *x = &m->explorer->execution;
    struct minimise_cost cost = {0, x->events.count};
    agent_id running = AGENT_NONE;

    for (event_id id = 0; id < x->events.count; id++) {
        agent_id agent = x->events.at[id].agent;

        if (is_buffer(m, agent))
            continue;
        cost.switches += running != AGENT_NONE && running != agent;
        running = agent;
    }
    return cost;
}

/* ---- trying a plan */

/* Makes a choice possible in the present state, by another outcome if need be. False if the agent cannot go on. */
static bool choice_adapt(struct minimiser *m, struct choice *choice)
{
    struct explorer *explorer = m->explorer;
    outcome_vec *outcomes = &explorer->execution.outcomes;

    if (choice->agent >= explorer->world.agents.count ||
        !world_enabled(&explorer->world, choice->agent))
        return false;
    world_outcomes(&explorer->world, choice->agent, outcomes);
    for (uint32_t i = 0; i < outcomes->count; i++)
        if (outcomes->at[i] == choice->outcome)
            return true;
    choice->outcome = outcomes->at[0];
    return true;
}

/* Whom to let run when the plan is at its end: the thread that ran last, else the first that can. */
static bool choice_free(struct minimiser *m, agent_id running, struct choice *choice)
{
    struct world *world = &m->explorer->world;

    *choice = (struct choice){.agent = running};
    if (running != AGENT_NONE && choice_adapt(m, choice))
        return true;
    for (uint32_t i = 0; i < world->active.count; i++) {
        *choice = (struct choice){.agent = world->active.at[i]};
        if (choice_adapt(m, choice))
            return true;
    }
    return false;
}

static void step(struct minimiser *m, struct choice choice)
{
    m->here = explorer_state_after(m->explorer, m->here, choice.agent);
    execution_append(&m->explorer->execution, choice.agent, choice.outcome);
    races_cut(&m->explorer->execution, 0);
}

/* Lets the thread that ran before go on for a few steps, until what was planned is possible: out of a critical section. */
static bool choice_help(struct minimiser *m, agent_id running, struct choice *choice)
{
    struct choice help = {.agent = running};

    if (running == AGENT_NONE || running == choice->agent)
        return false;
    for (int i = 0; i < HELP_STEPS && m->explorer->execution.findings.count == 0; i++) {
        if (!choice_adapt(m, &help))
            return false;
        step(m, help);
        if (choice_adapt(m, choice))
            return true;
    }
    return false;
}

/* Runs by the plan, leaving out what is not possible, and on to the end or the first thing that is wrong. Whether that is the bug. */
static bool plan_run(struct minimiser *m)
{
    struct explorer *explorer = m->explorer;
    struct execution *x = &explorer->execution;
    uint32_t limit = 2 * m->best.count + 100;
    agent_id running = AGENT_NONE;
    struct choice choice;

    m->result->runs++;
    execution_cut(x, 0);
    world_restart(&explorer->world);
    m->here = (struct explorer_state){.running = explorer->world.ran};
    for (uint32_t i = 0; i < m->plan.count && x->findings.count == 0; i++) {
        choice = m->plan.at[i];
        if (!choice_adapt(m, &choice) && !choice_help(m, running, &choice))
            continue;
        step(m, choice);
        if (!is_buffer(m, choice.agent))
            running = choice.agent;
    }
    while (x->findings.count == 0 && x->events.count < limit && choice_free(m, running, &choice)) {
        step(m, choice);
        if (!is_buffer(m, choice.agent))
            running = choice.agent;
    }
    return m->goal->same(m->goal->context, explorer, explorer_ending(explorer));
}

/* The present run becomes the best one. */
static void best_take(struct minimiser *m)
{
    const struct execution *x = &m->explorer->execution;

    m->best.count = 0;
    for (event_id id = 0; id < x->events.count; id++)
        vec_push(
            m->explorer->arena, &m->best,
            (struct choice){.agent = x->events.at[id].agent, .outcome = x->events.at[id].outcome});
    m->cost = m->result->after = cost_of_run(m);
    m->progress = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (m->goal->better)
        m->goal->better(m->goal->context, m->explorer);
}

/* Runs the plan, and keeps what comes of it if that is better. */
static bool plan_try(struct minimiser *m)
{
    if (!plan_run(m) || !cost_is_less(cost_of_run(m), m->cost) ||
        m->here.preemptions > m->preemptions)
        return false;
    best_take(m);
    return true;
}

static void plan_add(struct minimiser *m, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        vec_push(m->explorer->arena, &m->plan, m->best.at[i]);
}

static bool best_rerun(struct minimiser *m)
{
    m->plan.count = 0;
    plan_add(m, 0, m->best.count);
    return plan_run(m);
}

/* ---- the same run in another order */

/* Which events shall stay: all, or those that happen before the first thing that is wrong. */
static void events_want(struct minimiser *m, bool only_needed)
{
    const struct execution *x = &m->explorer->execution;

    m->wanted.count = 0;
    for (event_id id = 0; id < x->events.count; id++)
        vec_push(m->explorer->arena, &m->wanted,
                 !only_needed || x->findings.count == 0 ||
                     happens_before(x, id, x->findings.at[0].event));
}

static void events_open(struct minimiser *m, bool only_needed)
{
    const struct execution *x = &m->explorer->execution;

    events_want(m, only_needed);
    m->done.count = m->next.count = m->later.count = 0;
    vec_reserve(m->explorer->arena, &m->later, x->events.count);
    m->later.count = x->events.count;
    for (agent_id agent = 0; agent < m->explorer->world.agents.count; agent++) {
        vec_push(m->explorer->arena, &m->done, 0);
        vec_push(m->explorer->arena, &m->next, EVENT_NONE);
    }
    for (event_id id = x->events.count; id-- > 0;) {
        event_id *next = &m->next.at[x->events.at[id].agent];

        m->later.at[id] = *next;
        if (m->wanted.at[id])
            *next = id;
    }
}

/* Whether all that happens before an event is in the plan. */
static bool event_is_ready(const struct minimiser *m, event_id id)
{
    const struct execution *x = &m->explorer->execution;
    struct vclock clock = event_clock(x, id);
    agent_id self = x->events.at[id].agent;

    for (agent_id agent = 0; agent < clock.width; agent++)
        if (m->done.at[agent] + (agent == self) < clock.at[agent])
            return false;
    return true;
}

static void event_take(struct minimiser *m, event_id id)
{
    const struct execution *x = &m->explorer->execution;
    agent_id agent = x->events.at[id].agent;

    vec_push(m->explorer->arena, &m->plan,
             (struct choice){.agent = agent, .outcome = x->events.at[id].outcome});
    m->done.at[agent]++;
    m->next.at[agent] = m->later.at[id];
}

/* Takes flushes that the next event of `agent` needs; flushes are no switches. */
static bool flushes_take(struct minimiser *m, agent_id agent)
{
    const struct execution *x = &m->explorer->execution;
    bool taken = false;

    for (agent_id buffer = 0; buffer < m->next.count; buffer++)
        while (is_buffer(m, buffer) && m->next.at[buffer] != EVENT_NONE &&
               happens_before(x, m->next.at[buffer], m->next.at[agent]) &&
               event_is_ready(m, m->next.at[buffer])) {
            event_take(m, m->next.at[buffer]);
            taken = true;
        }
    return taken;
}

/* Lets one agent go on as far as it can. Whether it could at all. */
static bool agent_take(struct minimiser *m, agent_id agent)
{
    bool taken = false;

    while (m->next.at[agent] != EVENT_NONE) {
        if (event_is_ready(m, m->next.at[agent]))
            event_take(m, m->next.at[agent]);
        else if (!flushes_take(m, agent))
            break;
        taken = true;
    }
    return taken;
}

/* The order in which agents are asked whether they can go on. */
enum agent_order { AGENTS_UP, AGENTS_DOWN, AGENTS_EARLIEST, AGENTS_LATEST, AGENT_ORDER_COUNT };

static bool agent_is_before(const struct minimiser *m, agent_id a, agent_id b,
                            enum agent_order order)
{
    switch (order) {
    case AGENTS_UP:
        return a < b;
    case AGENTS_DOWN:
        return a > b;
    case AGENTS_EARLIEST:
        return m->next.at[a] < m->next.at[b];
    default:
        return m->next.at[a] > m->next.at[b];
    }
}

static agent_id agent_choose(const struct minimiser *m, enum agent_order order)
{
    agent_id chosen = AGENT_NONE;

    for (agent_id agent = 0; agent < m->next.count; agent++) {
        if (m->next.at[agent] == EVENT_NONE || !event_is_ready(m, m->next.at[agent]))
            continue;
        if (chosen == AGENT_NONE || (is_buffer(m, chosen) && !is_buffer(m, agent)) ||
            (is_buffer(m, chosen) == is_buffer(m, agent) &&
             agent_is_before(m, agent, chosen, order)))
            chosen = agent;
    }
    return chosen;
}

/* The wanted events of the present run, in another order that keeps happens-before. */
static void plan_linearise(struct minimiser *m, enum agent_order order)
{
    agent_id agent;

    m->plan.count = 0;
    while ((agent = agent_choose(m, order)) != AGENT_NONE)
        agent_take(m, agent);
}

/* Each order, of what is needed and of everything. */
static bool orders_try(struct minimiser *m)
{
    bool better = false;

    for (int needed = 1; needed >= 0; needed--)
        for (enum agent_order order = 0; order < AGENT_ORDER_COUNT; order++) {
            if (time_is_up(m) || !best_rerun(m))
                return better;
            events_open(m, needed);
            plan_linearise(m, order);
            better |= plan_try(m);
        }
    return better;
}

/* ---- other runs */

/* The end of the block of steps of one thread, with the flushes among them, that begins at `first`. */
static uint32_t block_end(const struct minimiser *m, uint32_t first)
{
    agent_id thread = AGENT_NONE;
    uint32_t i = first;

    for (; i < m->best.count; i++) {
        agent_id agent = m->best.at[i].agent;

        if (is_buffer(m, agent))
            continue;
        if (thread != AGENT_NONE && agent != thread)
            break;
        thread = agent;
    }
    return i;
}

static agent_id block_thread(const struct minimiser *m, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        if (!is_buffer(m, m->best.at[i].agent))
            return m->best.at[i].agent;
    return AGENT_NONE;
}

/* Where the next block of the same thread begins, or the end of the run. */
static uint32_t block_later(const struct minimiser *m, agent_id thread, uint32_t end)
{
    while (end < m->best.count && m->best.at[end].agent != thread)
        end++;
    return end;
}

/* Behind the last step of the same thread before the block, or `first` if there is none. */
static uint32_t block_earlier(const struct minimiser *m, agent_id thread, uint32_t first)
{
    for (uint32_t i = first; i-- > 0;)
        if (m->best.at[i].agent == thread)
            return i + 1;
    return first;
}

/* Tries to do without a block, to put it before the next one of its thread, and behind the one before. */
static bool block_try(struct minimiser *m, uint32_t first, uint32_t end)
{
    agent_id thread = block_thread(m, first, end);
    uint32_t later = block_later(m, thread, end);
    uint32_t earlier = block_earlier(m, thread, first);

    m->plan.count = 0;
    plan_add(m, 0, first);
    plan_add(m, end, m->best.count);
    if (plan_try(m))
        return true;
    m->plan.count = 0;
    plan_add(m, 0, first);
    plan_add(m, end, later);
    plan_add(m, first, end);
    plan_add(m, later, m->best.count);
    if (plan_try(m))
        return true;
    if (earlier == first)
        return false;
    m->plan.count = 0;
    plan_add(m, 0, earlier);
    plan_add(m, first, end);
    plan_add(m, earlier, first);
    plan_add(m, end, m->best.count);
    return plan_try(m);
}

static bool blocks_try(struct minimiser *m)
{
    bool better = false;
    uint32_t first = 0;

    while (first < m->best.count && !time_is_up(m)) {
        uint32_t end = block_end(m, first);

        if (block_try(m, first, end))
            better =
                true; /* another run: at `first` begins what was not looked at yet, or the run is over */
        else
            first = end;
    }
    return better;
}

/* Leaves out pieces of the plan: halves, quarters… single steps. */
static bool pieces_try(struct minimiser *m)
{
    bool better = false;

    for (uint32_t size = m->best.count / 2; size > 0; size /= 2)
        for (uint32_t first = 0; first < m->best.count;) {
            uint32_t end = first + size < m->best.count ? first + size : m->best.count;

            if (time_is_up(m))
                return better;
            m->plan.count = 0;
            plan_add(m, 0, first);
            plan_add(m, end, m->best.count);
            if (plan_try(m))
                better = true;
            else
                first = end;
        }
    return better;
}

bool minimise(struct explorer *explorer, const struct minimise_goal *goal,
              struct minimise_result *result)
{
    struct minimiser m = {.explorer = explorer,
                          .goal = goal,
                          .deadline = clock_seconds(CLOCK_MONOTONIC) + goal->seconds,
                          .patience = goal->seconds / 5,
                          .preemptions = NO_BOUND,
                          .result = result};
    bool better = true;

    *result = (struct minimise_result){0};
    best_take(&m);
    result->before = m.cost;
    if (!best_rerun(&m)) {
        execution_cut(&explorer->execution, 0);
        return false;
    }
    best_take(&m); /* without what came after the failure */
    if (explorer->options.preemption_bound != NO_BOUND)
        m.preemptions = m.here.preemptions;
    while (better && !time_is_up(&m)) {
        better = orders_try(&m);
        better |= blocks_try(&m);
        better |= pieces_try(&m);
    }
    better = best_rerun(&m);
    vec_free(explorer->arena, &m.best);
    vec_free(explorer->arena, &m.plan);
    vec_free(explorer->arena, &m.done);
    vec_free(explorer->arena, &m.next);
    vec_free(explorer->arena, &m.wanted);
    vec_free(explorer->arena, &m.later);
    return better;
}
