#include "explore/execution.h"

#include "base/check.h"
#include "base/fingerprint.h"
#include "explore/races.h"
#include "model/effect.h"
#include "model/object.h"
#include "model/touch.h"

void execution_open(struct execution *x, struct arena *arena, struct world *world)
{
    memset(x, 0, sizeof *x);
    x->arena = arena;
    x->world = world;
}

static __attribute__((noinline)) void tables_grow(struct execution *x)
{
    while (x->newest.count < x->world->locations.count)
        vec_push(x->arena, &x->newest, RECORD_NONE);
    while (x->latest.count < x->world->agents.count) {
        vec_push(x->arena, &x->latest, EVENT_NONE);
        vec_push(x->arena, &x->rows, (event_vec){0});
    }
}

/* Entries for locations and agents seen for the first time. */
static void tables_widen(struct execution *x)
{
    if (x->newest.count < x->world->locations.count || x->latest.count < x->world->agents.count)
        tables_grow(x);
}

/* The clock of what the pending operation of `agent` needs: its own past and its causes. Written behind
 * the clocks of all events, where the next append may keep it. */
static struct vclock clock_before(struct execution *x, agent_id agent, const event_vec *causes)
{
    uint32_t width = x->world->agents.count;
    struct vclock clock;

    vec_reserve(x->arena, &x->clocks, 2 * width);
    clock = (struct vclock){x->clocks.at + x->clocks.count, width};
    if (x->latest.at[agent] != EVENT_NONE)
        vclock_copy(clock, event_clock(x, x->latest.at[agent]));
    else
        vclock_clear(clock);
    for (uint32_t i = 0; i < causes->count; i++)
        if (!clock_has(x, clock, causes->at[i]))
            vclock_join(clock, event_clock(x, causes->at[i]));
    return clock;
}

struct vclock execution_clock_of(struct execution *x, agent_id agent)
{
    const struct world *world = x->world;
    struct op space;

    tables_widen(x);
    x->causes.count = 0;
    if (world_pending(x->world, agent, &space))
        world_causes(x->world, agent, &x->causes);
    else if (world->agents.at[agent].is_buffer &&
             x->latest.at[world->agents.at[agent].thread] != EVENT_NONE)
        vec_push(x->arena, &x->causes, x->latest.at[world->agents.at[agent].thread]);
    return clock_before(x, agent, &x->causes);
}

/* An event of its agent, and its number, known in all tables but that of events. */
static void row_push(struct execution *x, struct event *event, event_id id)
{
    event->prev = x->latest.at[event->agent];
    event->step = event->prev == EVENT_NONE ? 1 : x->events.at[event->prev].step + 1;
    x->latest.at[event->agent] = id;
    vec_push(x->arena, &x->rows.at[event->agent], id);
}

/* The newest of `record` and those older that touches other bytes, too. */
static uint32_t record_beside(const struct execution *x, uint32_t record, uint8_t bytes)
{
    while (record != RECORD_NONE && !(x->accesses.at[record].access.bytes & ~bytes))
        record = x->accesses.at[record].beside;
    return record;
}

/* The newest of `record` and those older that another agent has made, or that writes. */
static uint32_t record_other(const struct execution *x, uint32_t record, agent_id agent)
{
    const struct access_record *at;

    if (record == RECORD_NONE)
        return record;
    at = &x->accesses.at[record];
    return x->events.at[at->event].agent == agent && at->access.mode != ACCESS_WRITE ? at->other
                                                                                     : record;
}

static void access_push(struct execution *x, event_id id, const struct section_access *touched)
{
    const struct access *access = &touched->access;
    uint32_t older = x->newest.at[access->loc];

    vec_push(x->arena, &x->accesses,
             (struct access_record){.access = *access,
                                    .event = id,
                                    .older = older,
                                    .unlike = record_find(x, older, access->mode, access->bytes),
                                    .beside = record_beside(x, older, access->bytes),
                                    .other = record_other(x, older, x->events.at[id].agent),
                                    .before = touched->before});
    x->newest.at[access->loc] = x->accesses.count - 1;
}

/* A new event, where the next one belongs: it counts from event_push on. */
static struct event *event_open(struct execution *x, agent_id agent, outcome_id outcome)
{
    struct event *event;
    struct op space;

    vec_reserve(x->arena, &x->events, 1);
    event = &x->events.at[x->events.count];
    *event = (struct event){
        .op = *world_pending(x->world, agent, &space), .agent = agent, .outcome = outcome};
    return event;
}

static void event_push(struct execution *x, struct event *event,
                       const struct section_access *touched, uint32_t count)
{
    event_id id = x->events.count;

    event->accesses = x->accesses.count;
    event->access_count = count;
    for (uint32_t i = 0; i < count; i++)
        access_push(x, id, &touched[i]);
    row_push(x, event, id);
    x->events.count++;
}

/* No event from that number on happens before one that comes after all events before `after`, and after these. */
static event_id events_after(event_id after, const event_id *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (events[i] >= after)
            after = events[i] + 1;
    return after;
}

/* What a suspect needs: the past of its agent, and x->causes. */
static void suspect_needs(struct execution *x, struct suspect *suspect)
{
    event_id first = x->latest.at[suspect->agent] + 1; /* 0 if there is none */

    suspect->pre = clock_before(x, suspect->agent, &x->causes);
    suspect->after = events_after(first, x->causes.at, x->causes.count);
}

/* A signal that came before a timeout: the timeout could have come first. */
static void withdrawn_races(struct execution *x)
{
    struct footprint footprint;

    for (uint32_t i = 0; i < x->world->step.withdrawn.count; i++) {
        const struct withdrawn *w = &x->world->step.withdrawn.at[i];
        struct suspect suspect = {.agent = w->thread, .op = &w->op};

        op_touch(x->world, &view_now, w->thread, &w->op, &footprint, NULL);
        x->causes.count = 0;
        suspect_needs(x, &suspect);
        suspect.accesses = footprint.at;
        suspect.access_count = footprint.count;
        races_find(x, &suspect, NULL);
    }
}

static void step_record(struct execution *x, event_id id)
{
    const struct step *step = &x->world->step;

    x->events.at[id].result = step->result;
    x->events.at[id].touch = step->touch;
    if (step->bug != BUG_NONE)
        vec_push(x->arena, &x->findings, (struct finding){id, step->bug, step->rule});
    if (step->assume_failed)
        vec_push(x->arena, &x->failed_assumes, id);
}

/* What is known of the operation before it runs: who must have come before. That clock is where the event's own goes. */
static struct suspect suspect_open(struct execution *x, struct event *event)
{
    struct suspect suspect = {.agent = event->agent, .op = &event->op};

    tables_widen(x);
    x->causes.count = 0;
    world_causes(x->world, event->agent, &x->causes);
    suspect_needs(x, &suspect);
    event->clock = x->clocks.count;
    event->clock_width = suspect.pre.width;
    return suspect;
}

/* Finds its races, and makes it the last event. What it needs becomes what happens before it. */
static void suspect_commit(struct execution *x, struct suspect *suspect, struct event *event,
                           const struct section_access *touched)
{
    struct vclock full = {x->clocks.at + event->clock, event->clock_width};

    tables_widen(x);
    suspect->runs = true;
    races_find(x, suspect, &full);
    event->after = events_after(suspect->after, x->candidates.at, x->candidates.count);
    x->clocks.count += event->clock_width;
    event_push(x, event, touched, suspect->access_count);
    x->clocks.at[event->clock + event->agent] = event->step;
}

/* An atomic section: what it touches is known only when it is done. */
static void section_append(struct execution *x, struct event *event)
{
    struct suspect suspect = suspect_open(x, event);
    const struct step *step = &x->world->step;

    world_step(x->world, event->agent, event->outcome, x->events.count);
    x->section.count = 0;
    for (uint32_t i = 0; i < step->section.count; i++)
        vec_push(x->arena, &x->section, step->section.at[i].access);
    vec_reserve(x->arena, &x->section, 1); /* so that nothing is somewhere */
    suspect.accesses = x->section.at;
    suspect.access_count = x->section.count;
    suspect_commit(x, &suspect, event, step->section.at);
}

/* Arrivals at a barrier commute if they are of one round. One that comes first in the next round, and does not need all of the last one, could have been part of that:
 * more threads use the barrier than it takes. */
static void arrival_check(struct execution *x, event_id id)
{
    const struct event *event = &x->events.at[id];
    const struct access_record *record = &x->accesses.at[event->accesses];
    uint64_t arrived, seen = 0;

    if (event->access_count != 1 || record->access.mode != ACCESS_ADD)
        return;
    arrived = record->before & OBJECT_USE;
    for (uint32_t r = record->older;
         r != RECORD_NONE && seen < arrived + (uint64_t)event->op.expect;
         r = x->accesses.at[r].older) {
        const struct access_record *older = &x->accesses.at[r];

        if (x->events.at[older->event].op.kind != OP_BARRIER_WAIT)
            return; /* the barrier was made or ended there */
        if (seen++ >= arrived && !happens_before(x, older->event, id))
            x->crowded = true;
    }
}

/* What it needs, as a copy behind the clocks: for its other outcomes, when it is committed. */
static struct vclock needs_keep(const struct suspect *suspect)
{
    struct vclock copy = {suspect->pre.at + suspect->pre.width, suspect->pre.width};

    vclock_copy(copy, suspect->pre);
    return copy;
}

static void single_append(struct execution *x, struct event *event)
{
    struct world *world = x->world;
    struct section_access touched[FOOTPRINT_MAX];
    struct footprint footprint;
    struct suspect suspect;
    struct vclock pre = {0};
    event_id id = x->events.count;
    bool forks = world_forks(world, event->agent);
    enum touch touch = op_touch(world, &view_now, event->agent, &event->op, &footprint, NULL);

    suspect = suspect_open(x, event);
    suspect.accesses = footprint.at;
    suspect.access_count = footprint.count;
    for (uint32_t i = 0; i < footprint.count; i++)
        touched[i] =
            (struct section_access){footprint.at[i], world_state(world, footprint.at[i].loc)};
    if (forks)
        pre = needs_keep(&suspect);
    suspect_commit(x, &suspect, event, touched);
    if (event->op.kind == OP_BARRIER_WAIT)
        arrival_check(x, id);
    if (forks) {
        world_outcomes(world, event->agent, &x->outcomes);
        races_add_outcomes(x, id, pre, &x->outcomes);
    }
    if (event->fatal)
        world_step_fatal(world, event->agent, event->outcome, id);
    else
        world_step_again(world, event->agent, event->outcome, id,
                         world->agents.at[event->agent].is_buffer ? TOUCH_DISABLED
                                                                  : (uint8_t)touch);
}

void execution_append_fatal(struct execution *x, agent_id agent, outcome_id outcome)
{
    struct event *event = event_open(x, agent, outcome);

    event->fatal = true;
    single_append(x, event);
    vec_push(x->arena, &x->findings, (struct finding){x->events.count - 1, BUG_CRASH, NULL});
    tables_widen(x);
}

void execution_append(struct execution *x, agent_id agent, outcome_id outcome)
{
    struct event *event = event_open(x, agent, outcome);

    if (event->op.kind == OP_SECTION_BEGIN)
        section_append(x, event);
    else
        single_append(x, event);
    step_record(x, x->events.count - 1);
    tables_widen(x);
    withdrawn_races(x);
}

void execution_append_bare(struct execution *x, agent_id agent, outcome_id outcome)
{
    event_id id = x->events.count;
    struct event *event = event_open(x, agent, outcome);

    tables_widen(x);
    row_push(x, event, id);
    x->events.count++;
    world_step(x->world, agent, outcome, id);
    step_record(x, id);
}

void execution_end(struct execution *x)
{
    struct world *world = x->world;
    struct footprint footprint;

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        struct op space;
        const struct op *op = world_pending(world, agent, &space);
        struct suspect suspect = {.agent = agent, .op = op};

        if (!op || op_is_round(op) || !world_ready(world, agent) ||
            op_touch(world, &view_now, agent, op, &footprint, NULL) != TOUCH_DISABLED)
            continue;
        tables_widen(x);
        x->causes.count = 0;
        world_causes(world, agent, &x->causes);
        suspect_needs(x, &suspect);
        races_find(x, &suspect, NULL);
    }
}

void execution_cut(struct execution *x, uint32_t length)
{
    while (x->events.count > length) {
        const struct event *event = &vec_last(&x->events);

        for (uint32_t i = event->access_count; i-- > 0;) {
            const struct access_record *record = &x->accesses.at[event->accesses + i];

            x->newest.at[record->access.loc] = record->older;
        }
        x->accesses.count = event->accesses;
        x->clocks.count = event->clock;
        x->latest.at[event->agent] = event->prev;
        x->rows.at[event->agent].count--;
        x->events.count--;
    }
    if (x->fresh > length)
        x->fresh = length;
    races_cut(x, length);
    while (x->findings.count && vec_last(&x->findings).event >= length)
        x->findings.count--;
    while (x->failed_assumes.count && vec_last(&x->failed_assumes) >= length)
        x->failed_assumes.count--;
}

/* What a wait in a loop waits for is where its process has put it. */
static bool is_wait(const struct op *op)
{
    return op->kind == OP_COND_TIMEDWAIT || op->kind == OP_COND_TIMEOUT ||
           op->kind == OP_COND_RESUME || op->kind == OP_COND_RELOCK;
}

static bool op_equal(const struct op *a, const struct op *b)
{
    return a->kind == b->kind && a->size == b->size && a->order == b->order &&
           a->variant == b->variant && a->site == b->site &&
           (a->addr == b->addr || a->kind == OP_AWAIT) &&
           (a->mutex == b->mutex || (op_is_retry(a) && op_is_retry(b))) &&
           (a->value == b->value || is_wait(a)) && a->expect == b->expect;
}

void execution_bury(struct execution *x)
{
    event_id id = x->events.count - 1;

    x->events.at[id].fatal = true;
    vec_push(x->arena, &x->findings, (struct finding){id, BUG_CRASH, NULL});
}

/* What is elsewhere in each process counts by where it is there. */
static uint64_t address_sum(const struct world *world, uint64_t addr)
{
    return addr - world->base < world->extent ? ~(addr - world->base) : addr;
}

uint64_t execution_op_sum(const struct world *world, const struct op *op)
{
    struct fingerprint sum = {0, 0};

    fingerprint_word(&sum, (uint64_t)op->kind << 24 | (uint64_t)op->size << 16 |
                               (uint64_t)op->order << 8 | op->variant);
    fingerprint_word(&sum, op->site);
    fingerprint_word(&sum, op->kind == OP_AWAIT ? 0 : address_sum(world, op->addr));
    fingerprint_word(&sum, address_sum(world, op->mutex));
    if (op_infos[op->kind].object == OBJECT_CELL)
        return sum
            .low; /* libc has a number of its own in each process, which it mixes into what setjmp stores */
    if (!is_wait(op))
        fingerprint_bytes(&sum, &op->value, sizeof op->value);
    fingerprint_bytes(&sum, &op->expect, sizeof op->expect);
    return sum.low;
}

/* The event that comes next, for a target that goes on by itself: replay.next. */
static bool event_again(struct replay *replay, struct again *step)
{
    struct execution *x = (struct execution *)((char *)replay - offsetof(struct execution, replay));
    const struct event *event = &x->events.at[x->again];
    const struct thread *thread;

    if (x->again == x->events.count || event->fatal || !op_goes_on(event->op.kind) ||
        (event->touch != TOUCH_DONE && event->touch != TOUCH_FAILED))
        return false;
    thread = &x->world->threads.at[event->agent];
    if (thread->status != THREAD_RUNNING || !op_equal(&thread->pending, &event->op))
        return false;
    *step = (struct again){event->agent, event->outcome, x->again++, event->touch};
    return true;
}

static bool event_is_pending(struct execution *x, const struct event *event)
{
    struct op space;
    const struct op *op = world_pending(x->world, event->agent, &space);

    return op && op_equal(op, &event->op);
}

static bool events_repeat(struct execution *x, event_id done, event_id *at,
                          void (*each)(void *context, uint32_t depth), void *context)
{
    x->replay.next = event_again;
    x->world->replay = each ? NULL : &x->replay; /* else somebody looks at each state */
    x->again = done;
    while (x->again < x->events.count) {
        event_id id = x->again++; /* those behind it may be done with it */
        const struct event *event = &x->events.at[id];

        if (!event_is_pending(x, event)) {
            x->world->replay = NULL;
            *at = id;
            return false;
        }
        if (each)
            each(context, id);
        if (event->fatal)
            world_step_fatal(x->world, event->agent, event->outcome, id);
        else
            world_step_again(x->world, event->agent, event->outcome, id, event->touch);
    }
    x->world->replay = NULL;
    if (each)
        each(context, x->events.count);
    x->replayed += x->events.count - done;
    return true;
}

bool execution_replay(struct execution *x, event_id *at)
{
    return execution_replay_each(x, at, NULL, NULL);
}

bool execution_replay_from(struct execution *x, uint32_t done, event_id *at)
{
    return events_repeat(x, done, at, NULL, NULL);
}

bool execution_replay_each(struct execution *x, event_id *at,
                           void (*each)(void *context, uint32_t depth), void *context)
{
    world_restart(x->world);
    return events_repeat(x, 0, at, each, context);
}
