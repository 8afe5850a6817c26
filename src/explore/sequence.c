#include "explore/sequence.h"

#include "explore/notdep.h"

/* Adds a step, and links it with the one before it of its agent. */
static void step_push(struct sequence *v, struct execution *x, struct choice choice, event_id event,
                      uint32_t number)
{
    struct sequence_first *own = &v->first.at[choice.agent];
    uint32_t i = v->steps.count;

    vec_push(x->arena, &v->steps,
             (struct sequence_step){
                 .choice = choice, .event = event, .number = number, .next = UINT32_MAX});
    if (own->stamp == v->stamp)
        v->steps.at[own->last].next = i;
    else
        *own = (struct sequence_first){v->stamp, i, i};
    own->last = i;
}

static bool race_conflicts(const struct race *race, const struct execution *x, event_id id)
{
    const struct event *event = &x->events.at[id];
    const struct access *accesses = race_accesses(x, race);

    if (race->inexact)
        return true;
    for (uint32_t i = 0; i < event->access_count; i++)
        for (uint32_t j = 0; j < race->access_count; j++)
            if (access_conflicts(&x->accesses.at[event->accesses + i].access, &accesses[j]))
                return true;
    return false;
}

/* Whether what has come after the operation of a race may have to come after it in its new place, too: what conflicts with it there may keep it from running, if it may have to wait. Only an
 * operation that would touch other things can meet such events. */
static bool race_meets_later(const struct execution *x, const struct race *race)
{
    return race->changed && !race->inexact && race->found < x->events.count &&
           op_infos[x->events.at[race->found].op.kind].flags & OP_BLOCK;
}

/* Then all that conflicts, and all that needs it. */
static bool comes_after_race(struct sequence *v, struct execution *x, const struct race *race,
                             event_id id)
{
    bool after = false;

    if (id <= race->found)
        return false;
    for (uint32_t i = 0; i < v->later.count && !after; i++)
        after = happens_before(x, v->later.at[i], id);
    if (!after && !race_conflicts(race, x, id))
        return false;
    if (!after)
        vec_push(x->arena, &v->later, id);
    return true;
}

void sequence_build(struct sequence *v, struct execution *x, const struct race *race)
{
    bool meets_later = race_meets_later(x, race);
    struct notdep rest;
    event_id id;

    v->race = race;
    v->stamp++;
    v->touches_known = v->is_shorter = false;
    v->lasting = true;
    v->reach = v->met_count = 0;
    v->steps.count = v->start = v->later.count = 0;
    while (v->first.count < x->world->agents.count)
        vec_push(x->arena, &v->first, (struct sequence_first){0});
    notdep_open(&rest, x, race);
    while ((id = notdep_next(&rest)) != EVENT_NONE) {
        const struct event *event = &x->events.at[id];
        struct choice choice = {event->agent, event->outcome, event_wakes(event)};

        if (!meets_later || !comes_after_race(v, x, race, id))
            step_push(v, x, choice, id, event->step);
    }
    step_push(v, x, race_choice(race), EVENT_NONE, 0);
}

struct branch *sequence_branch(const struct sequence *v, struct execution *x, uint32_t i)
{
    const struct sequence_step *step = &v->steps.at[i];
    struct branch *branch;

    if (step->event == EVENT_NONE) {
        branch =
            branch_new(x->arena, step->choice, race_accesses(x, v->race), v->race->access_count);
        branch->inexact = v->race->inexact;
        return branch;
    }
    return branch_of_event(x->arena, x, step->event);
}

/* Whether step `j`, an event, has to come before the later step `i`. */
static bool step_needs(const struct sequence *v, const struct execution *x, uint32_t i, uint32_t j)
{
    event_id earlier = v->steps.at[j].event, later = v->steps.at[i].event;

    return later != EVENT_NONE
               ? happens_before(x, earlier, later)
               : clock_has(x, race_pre(x, v->race), earlier) || race_conflicts(v->race, x, earlier);
}

/* Whether a step before step `i`, an event, has to come before it: of those before event `after`. */
static bool event_needs_one(const struct sequence *v, const struct execution *x, uint32_t i,
                            event_id after)
{
    struct vclock clock = event_clock(x, v->steps.at[i].event);

    for (uint32_t j = v->start; j < i && v->steps.at[j].event < after; j++) {
        const struct sequence_step *step = &v->steps.at[j];

        if (!step->removed && vclock_get(clock, step->choice.agent) >= step->number)
            return true;
    }
    return false;
}

/* The same of the operation of the race. */
static bool race_needs_one(const struct sequence *v, const struct execution *x, uint32_t i)
{
    struct vclock pre = race_pre(x, v->race);

    for (uint32_t j = v->start; j < i; j++) {
        const struct sequence_step *step = &v->steps.at[j];

        if (!step->removed && (vclock_get(pre, step->choice.agent) >= step->number ||
                               race_conflicts(v->race, x, step->event)))
            return true;
    }
    return false;
}

/* An event that does not happen after the first one of the race has all that happens before it, from there on, in v. So only the first steps have to be looked at, if any;
 * and as long as none was removed, the last one of these is enough. */
bool sequence_is_initial(const struct sequence *v, const struct execution *x, uint32_t i)
{
    event_id event = v->steps.at[i].event, after;

    if (i == v->start)
        return true;
    if (event == EVENT_NONE)
        return !race_needs_one(v, x, i);
    after = x->events.at[event].after;
    return after <= v->steps.at[v->start].event ||
           (v->is_shorter && !event_needs_one(v, x, i, after));
}

uint32_t sequence_first(const struct sequence *v, agent_id agent)
{
    return agent < v->first.count && v->first.at[agent].stamp == v->stamp ? v->first.at[agent].step
                                                                          : UINT32_MAX;
}

static void touch_note(struct sequence *v, const struct access *access)
{
    struct sequence_touch *touch = &v->touched.at[access->loc];

    if (touch->stamp != v->stamp)
        *touch = (struct sequence_touch){.stamp = v->stamp};
    touch->bytes[access->mode] |= access->bytes;
}

static void touches_note(struct sequence *v, struct execution *x)
{
    while (v->touched.count < x->world->locations.count)
        vec_push(x->arena, &v->touched, (struct sequence_touch){0});
    for (uint32_t i = v->start; i < v->steps.count; i++) {
        const struct sequence_step *step = &v->steps.at[i];
        const struct event *event;

        if (step->removed || step->event == EVENT_NONE)
            continue;
        event = &x->events.at[step->event];
        for (uint32_t k = 0; k < event->access_count; k++)
            touch_note(v, &x->accesses.at[event->accesses + k].access);
    }
    for (uint32_t i = 0; i < v->race->access_count; i++)
        touch_note(v, &race_accesses(x, v->race)[i]);
    v->touches_known = true;
}

/* Whether the branch conflicts with a step of v, or with one that was removed from it. */
static bool branch_meets(struct sequence *v, struct execution *x, const struct branch *branch)
{
    if (!v->touches_known)
        touches_note(v, x);
    for (uint32_t i = 0; i < branch->access_count; i++) {
        const struct access *access = &branch->accesses[i];
        const struct sequence_touch *touch = &v->touched.at[access->loc];

        if (touch->stamp != v->stamp)
            continue;
        for (uint8_t mode = ACCESS_READ; mode < ACCESS_MODE_COUNT; mode++)
            if (touch->bytes[mode] & access->bytes && modes_conflict(mode, access->mode))
                return true;
    }
    return false;
}

static bool step_conflicts(const struct sequence *v, const struct execution *x, uint32_t i,
                           const struct branch *branch)
{
    const struct sequence_step *step = &v->steps.at[i];

    if (step->event != EVENT_NONE)
        return !branch_independent(branch, x, step->event);
    return v->race->inexact || accesses_conflict(race_accesses(x, v->race), v->race->access_count,
                                                 branch->accesses, branch->access_count);
}

/* Whether the branch, of an agent without a step in v, commutes with all of v. */
static bool branch_commutes(struct sequence *v, struct execution *x, const struct branch *branch)
{
    if (branch->inexact)
        return v->start == v->steps.count;
    if (!v->race->inexact) {
        bool meets = branch_meets(v, x, branch);

        if (!meets || !v->is_shorter)
            return !meets;
    }
    for (uint32_t i = v->start; i < v->steps.count; i++)
        if (!v->steps.at[i].removed && step_conflicts(v, x, i, branch))
            return false;
    return true;
}

bool sequence_may_start(struct sequence *v, struct execution *x, const struct branch *branch,
                        uint32_t *at)
{
    *at = sequence_first(v, branch->choice.agent);
    if (*at != UINT32_MAX)
        return v->steps.at[*at].choice.outcome == branch->choice.outcome &&
               sequence_is_initial(v, x, *at);
    return branch_commutes(v, x, branch);
}

void sequence_remove(struct sequence *v, uint32_t i)
{
    v->first.at[v->steps.at[i].choice.agent].step = v->steps.at[i].next;
    v->steps.at[i].removed = v->is_shorter = true;
    while (v->start < v->steps.count && v->steps.at[v->start].removed)
        v->start++;
}

/* The first step that keeps the branch from being a weak initial, or UINT32_MAX. */
static uint32_t step_against(const struct sequence *v, const struct execution *x,
                             const struct branch *branch)
{
    for (uint32_t i = v->start; i < v->steps.count; i++)
        if (!v->steps.at[i].removed && (v->steps.at[i].choice.agent == branch->choice.agent ||
                                        step_conflicts(v, x, i, branch)))
            return i;
    return UINT32_MAX;
}

void sequence_shorten(struct sequence *v, const struct execution *x,
                      const struct branch *const *before, uint32_t count)
{
    for (uint32_t i = 0; i < v->steps.count; i++)
        v->steps.at[i].needed = false;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = before[k]->inexact ? UINT32_MAX : step_against(v, x, before[k]);

        if (i == UINT32_MAX)
            return;
        v->steps.at[i].needed = true;
    }
    for (uint32_t i = v->steps.count; i-- > v->start;)
        for (uint32_t j = v->start; v->steps.at[i].needed && j < i; j++)
            if (!v->steps.at[j].needed && !v->steps.at[j].removed)
                v->steps.at[j].needed = step_needs(v, x, i, j);
    for (uint32_t i = v->start; i < v->steps.count; i++)
        v->steps.at[i].removed |= !v->steps.at[i].needed;
}
