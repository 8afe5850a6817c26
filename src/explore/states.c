#include "explore/states_inner.h"

#include "base/check.h"

/* state_entry.depth */
#define STATE_CLOSED UINT32_MAX
#define STATE_DEAD   (UINT32_MAX - 1) /* not all below it was explored: like no other */
#define STATE_OPEN   ((uint32_t)1 << 31)

static bool is_open(uint32_t depth)
{
    return depth >= STATE_OPEN && depth < STATE_DEAD;
}

void states_open(struct states *states, enum states_kind kind, struct execution *execution,
                 struct reduction *reduction, const struct future_ops *futures)
{
    memset(states, 0, sizeof *states);
    states->kind = kind;
    states->arena = execution->arena;
    states->execution = execution;
    states->nodes = (struct nodes *)reduction;
    states->futures = futures;
    states_table_open(states);
    visibles_open(&states->visibles, states->arena);
    execution->states = states;
    execution->world->sums = kind != STATES_SUMMARIES;
}

/* ---- known states */

static void stop_here(struct states *states, uint32_t depth)
{
    states->stats.revisited++;
    nodes_forget(states->nodes, depth);
}

/* Back at a state that is being explored, or at one that leads to such a one: what follows is what follows that one, and not all of that is known. It
 * has the same events before it, and what follows is held against these when all of it is known; those since then are taken care of by trying everything. */
static void cycle_close(struct states *states, uint32_t depth, uint32_t back)
{
    for (uint32_t d = back; d < depth; d++)
        enabled_plan(&states->enabled, states->nodes, d);
    states->frames.at[depth].low = back;
    states->frames.at[back].met = true;
    states->stats.cycles++;
    stop_here(states, depth);
}

struct slept {
    const struct states *states;
    struct opset_range range;
};

static bool slept_then(void *context, const struct branch *sleeper)
{
    const struct slept *slept = context;

    for (uint32_t i = 0; i < slept->range.count; i++) {
        struct choice choice = slept->states->sleepers.at[slept->range.first + i];

        if (choice.agent == sleeper->choice.agent && choice.outcome == sleeper->choice.outcome)
            return true;
    }
    return false;
}

/* What was asleep when the state was explored, and is not now, is all that is to be tried (`sleeping`). What is asleep now and was not then wakes up for
 * that: else who begins with one of either would have been left out both times. */
static void explore_awake(struct states *states, struct state_entry *entry, uint32_t depth)
{
    struct slept slept = {states, states->sleeper_sets.at[entry->sleepers]};

    nodes_forget(states->nodes, depth);
    for (uint32_t i = 0; i < states->sleeping.count; i++)
        nodes_plan(states->nodes, depth, states->sleeping.at[i], false);
    sleep_wake(&states->nodes->sleep, depth, slept_then, &slept);
    entry->sleepers = states_sleepers(states, depth);
}

/* Whether the run can stop at an explored state. If not, it is on the stack now, and explored again in whole or in part. */
static bool closed_match(struct states *states, uint32_t depth, uint32_t found)
{
    struct state_entry *entry = &states->entries.at[found];
    struct state_frame *frame = &states->frames.at[depth];
    bool ordered =
        !states->futures || states->with_knowledge || states->futures->ordered(entry->future);

    if (ordered && states_awake(states, entry->sleepers, depth) == 0) {
        states_summary_apply(states, entry, depth);
        stop_here(states, depth);
        return true;
    }
    frame->entry = found;
    entry->depth = depth;
    if (!ordered) {
        entry->sleepers = states_sleepers(states, depth);
        return false;
    }
    states_summary_apply(states, entry, depth);
    states_awake(states, entry->sleepers, depth);
    explore_awake(states, entry, depth);
    return false;
}

/* Whether another entry would leave too little for the rest of the search: a quarter. Tables double when they grow. From then on nothing new is
 * noted of what follows states: explored ones still stop runs, and those on the stack will match nothing. */
static bool table_is_full(struct states *states)
{
    uint64_t used = states->arena->used + states_growth(states);

    if (!states->stats.full && states->max_memory && used > states->max_memory / 4 * 3) {
        states->stats.full = true;
        for (uint32_t d = 0; d < states->frames.count; d++)
            states->frames.at[d].partly = true;
    }
    return states->stats.full;
}

/* The state gets an entry of its own; the one that has the same print, and is of no use, if there is one. */
static void entry_begin(struct states *states, uint32_t depth, struct fingerprint print,
                        uint32_t found)
{
    struct state_entry entry = {.print = print, .depth = depth};

    if (table_is_full(states))
        return;
    entry.sleepers = states_sleepers(states, depth);
    if (found == STATE_NONE) {
        found = states->entries.count;
        states_add(states, &entry);
    } else {
        states->entries.at[found] = entry;
    }
    states->frames.at[depth].entry = found;
}

/* A state that is on the stack, or leads there. If something is awake now that was asleep then, the run goes on, and what comes here again is
 * compared with this time: sleep sets are finite, so that is not for ever. */
static bool cycle_match(struct states *states, uint32_t depth, uint32_t found)
{
    const struct state_entry *entry = &states->entries.at[found];

    if (states->futures && !states->with_knowledge) {
        states->with_knowledge =
            true; /* from now on, none of the states so far is the same as any */
        return false;
    }
    if (states_awake(states, entry->sleepers, depth) == 0) {
        cycle_close(states, depth, entry->depth & ~STATE_OPEN);
        return true;
    }
    if (!is_open(entry->depth))
        states->frames.at[entry->depth].entry = STATE_NONE;
    entry_begin(states, depth, entry->print, found);
    return false;
}

static bool state_match(struct states *states, uint32_t depth)
{
    struct fingerprint print;
    uint32_t found;
    bool half;

    if (states->stats.full && states->with_knowledge)
        return false; /* what was accessed since then is not known */
    if (!states_print(states, &states->frames.at[depth], &print))
        return false;
    found = states_find(states, print, &half);
    if (half)
        return false; /* it goes without an entry */
    if (found == STATE_NONE || states->entries.at[found].depth == STATE_DEAD) {
        entry_begin(states, depth, print, found);
        return false;
    }
    if (states->entries.at[found].depth == STATE_CLOSED)
        return closed_match(states, depth, found);
    return cycle_match(states, depth, found);
}

/* What is kept of the state on the stack: whatever is known of it without comparing it. */
static void frame_push(struct states *states, uint32_t depth)
{
    struct world *world = states_world(states);
    struct execution *x = states->execution;
    struct state_frame frame = {.entry = STATE_NONE,
                                .sum = world->sum,
                                .low = depth,
                                .moved = AGENT_NONE,
                                .is_lone = states_lone(world),
                                .partly = states->stats.full,
                                .open = states->open.count,
                                .begun = states->begun.count};

    CHECK(states->frames.count == depth, "states out of step");
    if (depth > 0) {
        const struct event *event = &x->events.at[depth - 1];

        frame.lone = states->frames.at[depth - 1].lone;
        frame.by = states->last;
        if (states->kind == STATES_DELTA && !world->agents.at[event->agent].is_buffer) {
            frame.moved = event->agent;
            frame.before = *states_local(states, event->agent);
            states_local_next(states, event->agent);
        }
        if (states->frames.at[depth - 1].is_lone) {
            fingerprint_word(&frame.lone, event->outcome);
            fingerprint_bytes(&frame.lone, &event->result, sizeof event->result);
        }
        if (states->futures && !states->stats.full)
            frame.passage = states->futures->passed();
    }
    if (states->kind == STATES_DELTA)
        states_locals_begin(states);
    vec_push(states->arena, &states->frames, frame);
    enabled_enter(&states->enabled, x);
}

bool states_enter(struct states *states, uint32_t depth)
{
    frame_push(states, depth);
    if (depth == 0 && states->futures)
        states->futures->begin();
    return states->kind != STATES_SUMMARIES && state_match(states, depth);
}

void states_forget(struct states *states)
{
    CHECK(states->kind == STATES_SUMMARIES, "states in a table are forgotten");
    states->frames.count = 0;
    enabled_leave(&states->enabled, 0);
}

/* What was below it is not known: it matches nothing. `optimal` may have planned other outcomes of an operation elsewhere, and the `source` that takes over counts on them
 * being tried where one of them was. */
static void state_catch_up(void *context, uint32_t depth)
{
    struct states *states = context;

    frame_push(states, depth);
    if (depth == 0 && states->futures)
        states->futures->begin();
    states->frames.at[depth].partly = true;
    if (states->kind != STATES_SUMMARIES)
        nodes_plan_outcomes(states->nodes, depth);
}

bool states_catch_up(struct states *states, event_id *at)
{
    states_world(states)->sums = states->kind != STATES_SUMMARIES;
    return execution_replay_each(states->execution, at, state_catch_up, states);
}

bool states_arrive(struct states *states)
{
    uint32_t depth = states->frames.count - 1;

    states->frames.at[depth].partly = states->stats.full;
    return states->kind != STATES_SUMMARIES && state_match(states, depth);
}

/* ---- leaving */

/* All entries that left the stack since the state was entered lead to it, and nowhere lower: what follows them is what follows it. */
static void cycle_finish(struct states *states, const struct state_frame *frame)
{
    for (uint32_t i = frame->open; i < states->open.count; i++) {
        struct state_entry *entry = &states->entries.at[states->open.at[i]];

        if (!is_open(entry->depth))
            continue; /* it came onto the stack again */
        entry->depth = frame->partly ? STATE_DEAD : STATE_CLOSED;
        entry->follows = opset_union(&states->visibles, entry->follows, frame->follows);
    }
    states->open.count = frame->open;
}

/* The state leaves the stack, but leads to a lower one: so do those that lead to it. */
static void cycle_lower(struct states *states, uint32_t depth, const struct state_frame *frame)
{
    for (uint32_t i = frame->open; i < states->open.count; i++) {
        struct state_entry *entry = &states->entries.at[states->open.at[i]];

        if (is_open(entry->depth) && (entry->depth & ~STATE_OPEN) >= depth)
            entry->depth = STATE_OPEN | frame->low;
    }
}

static void entry_leave(struct states *states, uint32_t depth, const struct state_frame *frame)
{
    struct state_entry *entry = &states->entries.at[frame->entry];

    if (frame->partly) {
        entry->depth = STATE_DEAD;
        return;
    }
    entry->follows = opset_union(&states->visibles, entry->follows, frame->follows);
    if (states->futures)
        entry->future = states->futures->either(entry->future, frame->future);
    if (frame->low < depth) {
        entry->depth = STATE_OPEN | frame->low;
        vec_push(states->arena, &states->open, frame->entry);
    } else {
        entry->depth = STATE_CLOSED;
    }
}

/* What is below a state is below the one before it. */
static void frame_hand_up(struct states *states, uint32_t depth, const struct state_frame *frame)
{
    struct state_frame *up = &states->frames.at[depth - 1];

    states_follow(states, depth - 1, frame->follows);
    if (states->futures && !frame->partly)
        up->future = states->futures->either(
            up->future, states->futures->before(frame->passage, frame->future));
    if (frame->low < up->low)
        up->low = frame->low;
    up->partly |= frame->partly;
}

void states_leave(struct states *states, uint32_t depth, bool partly)
{
    struct state_frame frame;

    CHECK(states->frames.count == depth + 1, "states out of step");
    states->frames.at[depth].partly |= partly;
    if (states->frames.at[depth].met && states->frames.at[depth].low >= depth)
        states_cycle_apply(states, depth);
    frame = states->frames.at[depth];
    if (frame.low >= depth)
        cycle_finish(states, &frame);
    else
        cycle_lower(states, depth, &frame);
    if (frame.entry != STATE_NONE)
        entry_leave(states, depth, &frame);
    if (depth > 0)
        frame_hand_up(states, depth, &frame);
    while (states->begun.count > frame.begun)
        *states_local(states, states->begun.at[--states->begun.count]) = (struct fingerprint){0, 0};
    if (frame.moved != AGENT_NONE)
        *states_local(states, frame.moved) = frame.before;
    enabled_leave(&states->enabled, depth);
    states->frames.count = depth;
}

void states_abandon(struct states *states)
{
    while (states->frames.count > 0)
        states_leave(states, states->frames.count - 1, true);
}

void states_hand_over(struct states *states)
{
    uint32_t root = states->frames.count;

    while (root > 0 && !states->frames.at[root - 1].met)
        root--;
    for (uint32_t d = 0; d + 1 < root; d++)
        enabled_plan(&states->enabled, states->nodes, d);
}

void states_return(struct states *states, uint32_t depth)
{
    states_world(states)->sum = states->frames.at[depth].sum;
    states_world(states)->sums = states->kind != STATES_SUMMARIES;
    if (states->futures && !states->stats.full)
        states->futures->begin();
}

void states_resume(struct states *states)
{
    for (uint32_t d = 0; d < states->frames.count; d++)
        states->frames.at[d].partly = true;
    states_world(states)->sums = states->kind != STATES_SUMMARIES;
}

uint64_t states_bytes(const struct states *states)
{
    return (uint64_t)states->entries.room * sizeof *states->entries.at +
           (uint64_t)(states->mask + 1) * sizeof *states->slots +
           (uint64_t)states->sleepers.room * sizeof *states->sleepers.at +
           (uint64_t)states->sleeper_sets.room * sizeof *states->sleeper_sets.at +
           visibles_bytes(&states->visibles) + (states->futures ? states->futures->bytes() : 0);
}
