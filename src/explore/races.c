#include "explore/races.h"

#include "base/check.h"
#include "explore/cut.h"
#include "explore/notdep.h"
#include "explore/states.h"
#include "model/touch.h"

static void race_push(struct execution *x, event_id first, agent_id agent, outcome_id outcome,
                      const struct op *op, struct vclock pre, const struct access *accesses,
                      uint32_t access_count, bool inexact)
{
    struct race *race;

    vec_reserve(x->arena, &x->races, 1);
    race = &x->races.at[x->races.count++];
    *race = (struct race){.first = first,
                          .wakes = op->kind == OP_COND_SIGNAL && outcome != OUTCOME_LOST,
                          .found = x->events.count,
                          .agent = agent,
                          .outcome = outcome,
                          .pre = x->race_clocks.count,
                          .pre_width = pre.width,
                          .accesses = x->race_accesses.count,
                          .access_count = access_count,
                          .others = x->race_others.count,
                          .other_count = x->others.count,
                          .inexact = inexact};
    vec_reserve(x->arena, &x->race_clocks, pre.width);
    memcpy(x->race_clocks.at + x->race_clocks.count, pre.at, pre.width * sizeof *pre.at);
    x->race_clocks.count += pre.width;
    for (uint32_t i = 0; i < access_count; i++)
        vec_push(x->arena, &x->race_accesses, accesses[i]);
    for (uint32_t i = 0; i < x->others.count; i++)
        vec_push(x->arena, &x->race_others, x->others.at[i]);
}

/* Whether the operation of a race would touch there what it touches here. */
static bool race_is_changed(const struct execution *x, const struct race *race,
                            const struct suspect *suspect)
{
    const struct access *accesses = race_accesses(x, race);

    if (race->inexact || !suspect->accesses || race->access_count != suspect->access_count)
        return true;
    for (uint32_t i = 0; i < race->access_count; i++)
        if (accesses[i].loc != suspect->accesses[i].loc ||
            accesses[i].bytes != suspect->accesses[i].bytes ||
            accesses[i].mode != suspect->accesses[i].mode)
            return true;
    return false;
}

/* The same by looking at all events that do not happen after the first one. */
static __attribute__((unused)) bool race_is_initial_slow(struct execution *x,
                                                         const struct race *race)
{
    struct notdep rest;
    event_id id;

    notdep_open(&rest, x, race);
    while ((id = notdep_next(&rest)) != EVENT_NONE) {
        const struct event *event = &x->events.at[id];

        if (clock_has(x, race_pre(x, race), id))
            return false;
        for (uint32_t i = 0; i < event->access_count; i++)
            if (accesses_conflict(&x->accesses.at[event->accesses + i].access, 1,
                                  race_accesses(x, race), race->access_count))
                return false;
    }
    return true;
}

/* Whether an event after the first one of the race, and not because of it, conflicts with that access. */
static bool access_meets(struct execution *x, const struct race *race, const struct access *access)
{
    uint32_t r = access->loc < x->newest.count ? x->newest.at[access->loc] : RECORD_NONE;

    while ((r = record_find(x, r, access->mode, access->bytes)) != RECORD_NONE &&
           x->accesses.at[r].event > race->first) {
        const struct access_record *record = &x->accesses.at[r];

        if (access_conflicts(&record->access, access) && !race_leaves_out(x, race, record->event))
            return true;
        r = record->older;
    }
    return false;
}

/* Whether the operation of a race, just found, could be the very next one in the state before its first event. Not known of a changed
 * one: an event that is still to come may conflict with it there and not here. What it needs cannot happen after the first event, or they would not race: so what of that
 * is later keeps it from being the next one. */
static bool race_is_initial(struct execution *x, const struct race *race,
                            const struct suspect *suspect)
{
    bool initial = suspect->after <= race->first + 1;

    for (uint32_t i = 0; initial && i < race->access_count; i++)
        initial = !access_meets(x, race, &race_accesses(x, race)[i]);
    SLOW_CHECK(initial == race_is_initial_slow(x, race), "a race that is not what it seems");
    return initial;
}

/* Who waits for several to go (a writer, for readers) may be held back at the cut by one of them that does not need `first`, and that
 * cannot go without it: the operation then has to come before that one, too. False if nobody can be left out so. */
static bool cut_extend(struct cut *cut, const struct suspect *suspect)
{
    struct execution *x = cut->x;
    const struct op *op = suspect->op;
    agent_id holder = op_holder(x->world, &cut->view, op);
    loc_id loc;
    uint32_t r;

    if (holder == AGENT_NONE)
        return false;
    loc = world_location(x->world, op_infos[op->kind].object, op->addr);
    r = loc < x->newest.count ? x->newest.at[loc] : RECORD_NONE;
    for (; r != RECORD_NONE && x->accesses.at[r].event > cut->first; r = x->accesses.at[r].older) {
        event_id id = x->accesses.at[r].event;

        if (x->events.at[id].agent != holder || cut_leaves_out(cut, id))
            continue;
        if (clock_has(x, suspect->pre, id))
            return false;
        vec_push(x->arena, &x->others, id);
        return true;
    }
    return false;
}

/* Judges the suspect in the state before `first`; if it can run there, they race. */
static bool race_judge(struct execution *x, const struct suspect *suspect, event_id first)
{
    struct cut cut = cut_before(x, first);
    struct footprint footprint;

    x->others.count = 0;
    if (suspect->accesses && !op_footprint_varies(x->world, suspect->op)) {
        race_push(x, first, suspect->agent, 0, suspect->op, suspect->pre, suspect->accesses,
                  suspect->access_count, suspect->op->kind == OP_SECTION_BEGIN);
        return true;
    }
    while (op_touch(x->world, &cut.view, suspect->agent, suspect->op, &footprint, NULL) ==
           TOUCH_DISABLED)
        if (!cut_extend(&cut, suspect))
            return false;
    if (!(op_infos[suspect->op->kind].flags & OP_FORK)) {
        race_push(x, first, suspect->agent, 0, suspect->op, suspect->pre, footprint.at,
                  footprint.count, false);
        return true;
    }
    op_outcomes(x->world, &cut.view, suspect->agent, suspect->op, &x->outcomes);
    for (uint32_t i = 0; i < x->outcomes.count; i++)
        race_push(x, first, suspect->agent, x->outcomes.at[i], suspect->op, suspect->pre,
                  footprint.at, footprint.count, false);
    return true;
}

static bool race_try(struct execution *x, const struct suspect *suspect, event_id first)
{
    uint32_t before = x->races.count;

    if (!race_judge(x, suspect, first))
        return false;
    for (uint32_t i = before; i < x->races.count; i++) {
        struct race *race = &x->races.at[i];

        race->changed = race_is_changed(x, race, suspect);
        race->follows = suspect->runs && !race->changed;
        race->initial = !race->changed && race_is_initial(x, race, suspect);
    }
    return true;
}

/* Whether events that are older than that record, and touch the same, need not be looked at: they happen before it. If all races count, only if
 * the operation follows it anyway. */
static bool record_covers(const struct execution *x, const struct access_record *record,
                          const struct suspect *suspect)
{
    return record->access.mode == ACCESS_WRITE &&
           (!x->all_races || clock_has(x, suspect->pre, record->event));
}

/* Appends the events that `access` conflicts with and that no newer one of them covers; not those that the suspect follows anyway. All that the same agent did
 * before such a one it follows, too, so these are passed over at once, up to one that covers what is older: a loop of additions and reads is not looked through again at each step. */
static void candidates_of(struct execution *x, const struct access *access,
                          const struct suspect *suspect)
{
    uint8_t bytes = access->bytes;
    uint32_t r = access->loc < x->newest.count ? x->newest.at[access->loc] : RECORD_NONE;
    const struct access_record *record;

    while (bytes && (r = record_find(x, r, access->mode, bytes)) != RECORD_NONE) {
        bool follows;

        record = &x->accesses.at[r];
        follows = clock_has(x, suspect->pre, record->event);
        r = follows ? record->other : record->older;
        x->looked++;
        if (!modes_conflict(record->access.mode, access->mode))
            continue;
        if (!follows)
            vec_push(x->arena, &x->candidates, record->event);
        if (record_covers(x, record, suspect))
            bytes &= ~record->access.bytes;
    }
}

/* Newest first. They come from a few lists that are in that order already. */
static void candidates_sort(struct execution *x)
{
    event_id *at = x->candidates.at;

    for (uint32_t i = 1; i < x->candidates.count; i++) {
        event_id moved = at[i];
        uint32_t j = i;

        for (; j > 0 && at[j - 1] < moved; j--)
            at[j] = at[j - 1];
        at[j] = moved;
    }
}

/* What happens before an event that races needs no race of its own: it shows in the run in which this one is
 * reversed. Under a preemption bound that run may be forbidden, so all races count there. */
static void race_note(struct execution *x, struct vclock *known, event_id first)
{
    if (x->all_races)
        return;
    if (known->at != x->scratch_clocks.at) {
        struct vclock copy = {x->scratch_clocks.at, known->width};

        vclock_copy(copy, *known);
        *known = copy;
    }
    vclock_join(*known, event_clock(x, first));
}

/* An operation that can always run races with each conflicting event that it does not follow anyway.
 * `known` starts as what it needs, and grows by what happens before the events looked at: then it is a copy (race_note). In the end
 * it has all of them, unless all races count. */
static struct vclock find_unblocked(struct execution *x, const struct suspect *suspect)
{
    struct vclock known = suspect->pre;

    for (uint32_t i = 0; i < x->candidates.count; i++) {
        event_id first = x->candidates.at[i];

        if (clock_has(x, known, first))
            continue;
        race_try(x, suspect, first);
        race_note(x, &known, first);
    }
    return known;
}

/* The records of what a waiting operation waits for, newest first: one list a location, merged. */
struct past {
    uint32_t count;
    uint32_t at[FOOTPRINT_MAX]; /* the next record of each list, or RECORD_NONE */
    struct access access[FOOTPRINT_MAX];
};

/* While it is held back, some operations still say what they look at; others look at their object. */
uint32_t suspect_looks(struct execution *x, const struct suspect *suspect, struct access *into)
{
    const struct op_info *info = &op_infos[suspect->op->kind];
    struct footprint footprint; /* large: not to be cleared */

    op_touch(x->world, &view_now, suspect->agent, suspect->op, &footprint, NULL);
    if (footprint.count == 0)
        footprint.at[footprint.count++] = (struct access){
            world_location(x->world, info->object, suspect->op->addr), 1, info->mode};
    memcpy(into, footprint.at, footprint.count * sizeof *into);
    return footprint.count;
}

static void past_open(struct past *past, struct execution *x, const struct suspect *suspect)
{
    past->count = suspect->access_count;
    if (suspect->accesses)
        memcpy(past->access, suspect->accesses, past->count * sizeof *past->access);
    else
        past->count = suspect_looks(x, suspect, past->access);
    for (uint32_t i = 0; i < past->count; i++) {
        loc_id loc = past->access[i].loc;
        uint32_t newest = loc < x->newest.count ? x->newest.at[loc] : RECORD_NONE;

        past->at[i] = record_find(x, newest, past->access[i].mode, past->access[i].bytes);
    }
}

/* The list with the newest record, or past->count at the end. */
static uint32_t past_newest(const struct past *past, const struct execution *x)
{
    uint32_t newest = past->count;

    for (uint32_t i = 0; i < past->count; i++)
        if (past->at[i] != RECORD_NONE &&
            (newest == past->count ||
             x->accesses.at[past->at[i]].event > x->accesses.at[past->at[newest]].event))
            newest = i;
    return newest;
}

/* Under a preemption bound it counts whether the operation had to wait: then leaving its thread was free. So it has to be tried before the event that let it go on, too. */
static void wait_note(struct execution *x, const struct suspect *suspect, event_id first)
{
    x->others.count = 0;
    race_push(x, first, suspect->agent, 0, suspect->op, suspect->pre, NULL, 0, true);
}

/* An operation that waits: an event that only made it possible (the unlock before a lock) is passed over, for the race is with
 * what had made it impossible (the lock before that unlock). */
static void find_blocking(struct execution *x, const struct suspect *suspect)
{
    struct vclock known = suspect->pre;
    struct past past;
    uint32_t i;

    past_open(&past, x, suspect);
    while ((i = past_newest(&past, x)) < past.count) {
        const struct access_record *record = &x->accesses.at[past.at[i]];

        past.at[i] = record_find(x, record->older, past.access[i].mode, past.access[i].bytes);
        if (!access_conflicts(&record->access, &past.access[i]))
            continue;
        if (!clock_has(x, known, record->event)) {
            if (race_try(x, suspect, record->event))
                race_note(x, &known, record->event);
            else if (x->bounded)
                wait_note(x, suspect, record->event);
        } else if (record->access.mode == ACCESS_WRITE &&
                   !(past.access[i].bytes & ~record->access.bytes)) {
            past.at[i] = RECORD_NONE; /* all older ones happen before it */
        }
    }
}

void races_find(struct execution *x, const struct suspect *suspect, struct vclock *full)
{
    struct vclock known;

    if (x->states)
        states_suspect(x->states, suspect);
    x->candidates.count = 0;
    for (uint32_t i = 0; suspect->accesses && i < suspect->access_count; i++)
        candidates_of(x, &suspect->accesses[i], suspect);
    x->scratch_clocks.count = 0;
    vec_reserve(x->arena, &x->scratch_clocks, suspect->pre.width);
    if (op_may_wait(suspect->op) && suspect->op->kind != OP_BARRIER_LEAVE) {
        find_blocking(x, suspect);
    } else {
        candidates_sort(x);
        known = find_unblocked(x, suspect);
        if (full && known.at != full->at)
            vclock_copy(*full, known);
    }
    for (uint32_t i = 0; full && i < x->candidates.count; i++)
        if (!clock_has(x, *full, x->candidates.at[i])) /* with all that happens before it */
            vclock_join(*full, event_clock(x, x->candidates.at[i]));
}

/* ---- operations that are still to come */

bool op_waits_for_one(const struct op *op)
{
    uint8_t object = op_infos[op->kind].object;

    return op_infos[op->kind].flags & OP_BLOCK &&
           (object == OBJECT_MUTEX || object == OBJECT_SPIN || object == OBJECT_SEM ||
            object == OBJECT_THREAD);
}

/* Whether the operation can run in the state before event `first`, which wrote what it touches: never, always, or nobody knows. All who write its
 * one object depend on each other, so whatever is still to come does not change how that was then. */
enum before { BEFORE_NEVER, BEFORE_MAYBE, BEFORE_ALWAYS };

static enum before runs_before(struct execution *x, const struct suspect *suspect,
                               const struct access_record *record)
{
    struct cut cut = cut_before(x, record->event);
    struct footprint footprint;

    if (!op_may_wait(suspect->op))
        return BEFORE_ALWAYS;
    if (suspect->access_count != 1 || !op_waits_for_one(suspect->op) ||
        record->access.mode != ACCESS_WRITE || suspect->accesses[0].mode > ACCESS_WRITE)
        return BEFORE_MAYBE;
    x->others.count = 0;
    return op_touch(x->world, &cut.view, suspect->agent, suspect->op, &footprint, NULL) ==
                   TOUCH_DISABLED
               ? BEFORE_NEVER
               : BEFORE_ALWAYS;
}

void races_ahead(struct execution *x, const struct suspect *suspect, event_id end,
                 void (*each)(void *context, event_id first, const struct suspect *suspect,
                              bool certain),
                 void *context)
{
    struct vclock known;
    struct past past;
    uint32_t i;

    x->scratch_clocks.count = 0;
    vec_reserve(x->arena, &x->scratch_clocks, suspect->pre.width);
    known = (struct vclock){x->scratch_clocks.at, suspect->pre.width};
    vclock_copy(known, suspect->pre);
    past_open(&past, x, suspect);
    while ((i = past_newest(&past, x)) < past.count) {
        const struct access_record *record = &x->accesses.at[past.at[i]];
        event_id first = record->event;
        enum before before;

        past.at[i] = record_find(x, record->older, past.access[i].mode, past.access[i].bytes);
        if (first >= end || !access_conflicts(&record->access, &past.access[i]) ||
            clock_has(x, known, first))
            continue;
        before = runs_before(x, suspect, record);
        if (before != BEFORE_NEVER)
            each(context, first, suspect, before == BEFORE_ALWAYS);
        /* what happens before it shows in the run in which the operation does come before it */
        if (before == BEFORE_ALWAYS)
            vclock_join(known, event_clock(x, first));
    }
}

void races_add_outcomes(struct execution *x, event_id id, struct vclock pre,
                        const outcome_vec *outcomes)
{
    const struct event *event = &x->events.at[id];
    struct access accesses[FOOTPRINT_MAX];

    x->others.count = 0;
    CHECK(event->access_count <= FOOTPRINT_MAX, "an operation with outcomes touches too much");
    for (uint32_t i = 0; i < event->access_count; i++)
        accesses[i] = x->accesses.at[event->accesses + i].access;
    for (uint32_t i = 0; i < outcomes->count; i++)
        if (outcomes->at[i] != event->outcome) {
            race_push(x, id, event->agent, outcomes->at[i], &event->op, pre, accesses,
                      event->access_count, false);
            vec_last(&x->races).found = id; /* and stays so as long as the event does */
            vec_last(&x->races).follows = true;
        }
}

void races_cut(struct execution *x, event_id from)
{
    while (x->races.count && vec_last(&x->races).found >= from) {
        x->races.count--;
        x->race_clocks.count = x->races.at[x->races.count].pre;
        x->race_accesses.count = x->races.at[x->races.count].accesses;
        x->race_others.count = x->races.at[x->races.count].others;
    }
}

void races_keep_changed(struct execution *x)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < x->races.count; i++)
        if (x->races.at[i].changed)
            x->races.at[kept++] = x->races.at[i];
    x->races.count = kept;
    /* what belongs to those behind the last one kept goes, too: else it would grow from run to run */
    x->race_clocks.count = x->race_accesses.count = x->race_others.count = 0;
    if (kept > 0) {
        const struct race *last = &vec_last(&x->races);

        x->race_clocks.count = last->pre + last->pre_width;
        x->race_accesses.count = last->accesses + last->access_count;
        x->race_others.count = last->others + last->other_count;
    }
}
