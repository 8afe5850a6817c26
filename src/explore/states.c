#include "explore/states.h"

#include "base/check.h"
#include "model/sum.h"
#include "model/touch.h"

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
    map_open(&states->by_print, states->arena);
    map_open(&states->sleepers_by_hash, states->arena);
    vec_push(states->arena, &states->sleeper_sets, (struct opset_range){0, 0});
    visibles_open(&states->visibles, states->arena);
    execution->states = states;
    execution->world->sums = true;
}

static struct world *world_of(const struct states *states)
{
    return states->execution->world;
}

/* ---- local states by change */

/* A name that no other local state has. */
static struct fingerprint fresh_local(struct states *states)
{
    return fingerprint_at(UINT64_MAX, ++states->fresh);
}

static struct fingerprint *local_of(struct states *states, agent_id thread)
{
    while (states->locals.count <= thread)
        vec_push(states->arena, &states->locals, (struct fingerprint){0, 0});
    return &states->locals.at[thread];
}

void states_step(struct states *states, agent_id agent)
{
    struct world *world = world_of(states);

    if (states->kind == STATES_DELTA && !world->agents.at[agent].is_buffer)
        world->target->ops->note(world->target, world, agent);
}

/* NextLocal (stateful-dpor, Figure 4). Instead of a table from names and changes to names, the name is made of both. */
static void local_next(struct states *states, agent_id thread)
{
    struct world *world = world_of(states);
    struct fingerprint *local = local_of(states, thread), change = {0, 0};

    if (world->threads.at[thread].status != THREAD_RUNNING)
        return;
    if (!world->target->ops->change(world->target, world, thread, &change)) {
        *local = fresh_local(states);
        return;
    }
    if (fingerprint_equal(change, (struct fingerprint){0, 0}))
        return;
    fingerprint_bytes(local, &change, sizeof change);
}

/* ---- the fingerprint of a state */

static bool is_started(const struct world *world, agent_id agent)
{
    return !world->agents.at[agent].is_buffer && world->threads.at[agent].status != THREAD_ABSENT;
}

/* Whether all of the local state must be told each time. */
static bool is_told(const struct states *states, agent_id thread)
{
    struct world *world = world_of(states);
    const struct target_ops *ops = world->target->ops;

    return states->kind == STATES_EXACT ||
           (ops->is_open && ops->is_open(world->target, world, thread));
}

static bool local_add(struct states *states, agent_id thread, struct fingerprint *into)
{
    struct world *world = world_of(states);

    if (is_told(states, thread))
        return world->target->ops->local(world->target, world, thread, into);
    if (thread >= states->locals.count ||
        fingerprint_equal(states->locals.at[thread], (struct fingerprint){0, 0}))
        return false; /* it has just begun */
    fingerprint_bytes(into, &states->locals.at[thread], sizeof *states->locals.at);
    return true;
}

/* A thread that is new to the run has the local state that its target tells. */
static void locals_begin(struct states *states)
{
    struct world *world = world_of(states);

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        struct fingerprint *local;

        if (!is_started(world, agent) || world->threads.at[agent].status != THREAD_RUNNING)
            continue;
        local = local_of(states, agent);
        if (!fingerprint_equal(*local, (struct fingerprint){0, 0}))
            continue;
        if (!world->target->ops->local(world->target, world, agent, local))
            *local = fresh_local(states);
        vec_push(states->arena, &states->begun, agent);
    }
}

/* Who knows of whose accesses: by the transitions on the stack. */
static bool knowledge_add(struct states *states, struct fingerprint *print)
{
    states->passages.count = 0;
    for (uint32_t d = 0; d < states->frames.count; d++)
        if (states->frames.at[d].passage != PASSAGE_NONE)
            vec_push(states->arena, &states->passages, states->frames.at[d].passage);
    fingerprint_word(print, 1); /* states without knowledge are others */
    return states->futures->knowledge(states->passages.at, states->passages.count, print);
}

/* False: it cannot be told. The first thread alone is not worth it: all that it does then is as in every run. */
static bool state_print(struct states *states, const struct state_frame *frame,
                        struct fingerprint *print)
{
    struct world *world = world_of(states);
    const struct target_ops *ops = world->target->ops;
    uint32_t started = 0;
    bool told = true;

    *print = frame->lone;
    fingerprint_bytes(print, &world->sum, sizeof world->sum);
    for (uint32_t i = 0; told && i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        struct fingerprint thread = {0, 0};

        if (!is_started(world, agent))
            continue;
        started++;
        sum_thread(world, agent, &thread);
        if (world->threads.at[agent].status == THREAD_RUNNING)
            told = local_add(states, agent, &thread);
        fingerprint_plus(print, thread); /* they may have begun in another order */
    }
    if (started < 2)
        return false;
    told = told && ops->shared(world->target, world, print) &&
           (!states->with_knowledge || knowledge_add(states, print));
    fingerprint_word(print, (uint64_t)(states->execution->findings.count > 0) << 1 |
                                (states->execution->failed_assumes.count > 0));
    states->stats.untold += !told;
    return told;
}

static bool is_lone(const struct world *world)
{
    uint32_t started = 0;

    for (uint32_t i = 0; i < world->active.count; i++)
        started += is_started(world, world->active.at[i]);
    return started < 2;
}

/* ---- sets of sleepers */

static bool choice_before(struct choice a, struct choice b)
{
    return a.agent != b.agent ? a.agent < b.agent : a.outcome < b.outcome;
}

static void sleeping_sort(struct states *states)
{
    struct choice *at = states->sleeping.at;

    for (uint32_t i = 1; i < states->sleeping.count; i++) {
        struct choice moved = at[i];
        uint32_t j = i;

        for (; j > 0 && choice_before(moved, at[j - 1]); j--)
            at[j] = at[j - 1];
        at[j] = moved;
    }
}

/* The number of the set in `sleeping`. */
static sleepers_id sleepers_intern(struct states *states)
{
    uint64_t key = states->sleeping.count;
    sleepers_id id;

    if (states->sleeping.count == 0)
        return 0;
    sleeping_sort(states);
    for (uint32_t i = 0; i < states->sleeping.count; i++)
        key = mix64(
            key + ((uint64_t)states->sleeping.at[i].agent << 32 | states->sleeping.at[i].outcome));
    while ((id = map_get(&states->sleepers_by_hash, key)) != MAP_ABSENT) {
        struct opset_range range = states->sleeper_sets.at[id];

        if (range.count == states->sleeping.count &&
            memcmp(&states->sleepers.at[range.first], states->sleeping.at,
                   range.count * sizeof *states->sleeping.at) == 0)
            return id;
        key++;
    }
    id = states->sleeper_sets.count;
    vec_push(states->arena, &states->sleeper_sets,
             (struct opset_range){states->sleepers.count, states->sleeping.count});
    for (uint32_t i = 0; i < states->sleeping.count; i++)
        vec_push(states->arena, &states->sleepers, states->sleeping.at[i]);
    map_add(&states->sleepers_by_hash, key, id);
    return id;
}

static sleepers_id sleepers_now(struct states *states, uint32_t depth)
{
    const struct branch *const *sleepers;
    uint32_t count;

    if (!states->nodes->sleeping)
        return 0;
    sleepers = sleep_at(&states->nodes->sleep, depth, &count);
    states->sleeping.count = 0;
    for (uint32_t i = 0; i < count; i++)
        vec_push(states->arena, &states->sleeping, sleepers[i]->choice);
    return sleepers_intern(states);
}

/* Into `sleeping`: those of a set that are awake at `depth`. How many. */
static uint32_t sleepers_awake(struct states *states, sleepers_id set, uint32_t depth)
{
    struct opset_range range = states->sleeper_sets.at[set];

    states->sleeping.count = 0;
    for (uint32_t i = 0; i < range.count; i++) {
        struct choice choice = states->sleepers.at[range.first + i];

        if (!sleep_has(&states->nodes->sleep, depth, choice))
            vec_push(states->arena, &states->sleeping, choice);
    }
    return states->sleeping.count;
}

/* ---- what may follow */

static void follows_add(struct states *states, uint32_t depth, opset_id set)
{
    struct state_frame *frame = &states->frames.at[depth];

    frame->follows = opset_union(&states->visibles, frame->follows, set);
}

/* The edge of line 21 of Figure 7. */
static void edge_add(struct states *states, visible_id from, opset_id to)
{
    while (states->next.count <= from)
        vec_push(states->arena, &states->next, OPSET_EMPTY);
    states->next.at[from] = opset_union(&states->visibles, states->next.at[from], to);
}

/* What is withdrawn by a transition is told when that is done, and the state behind it is not entered yet. */
void states_suspect(struct states *states, const struct suspect *suspect)
{
    struct execution *x = states->execution;
    uint32_t depth = x->events.count;
    struct access looks[FOOTPRINT_MAX];
    const struct access *accesses = suspect->accesses;
    uint32_t count = suspect->access_count;
    opset_id one;

    if (states->frames.count == 0)
        return;
    if (!accesses) {
        count = suspect_looks(x, suspect, looks);
        accesses = looks;
    }
    if (depth == states->frames.count)
        depth--;
    else
        states->last = visible_of(&states->visibles, suspect, accesses, count);
    one = opset_of(&states->visibles, visible_of(&states->visibles, suspect, accesses, count));
    follows_add(states, depth, one);
    if (states->kind == STATES_DELTA && depth > 0)
        edge_add(states, states->frames.at[depth].by, one);
}

/* delta: the pending operation of an agent, in the present state. */
static opset_id pending_op(struct states *states, agent_id agent)
{
    struct execution *x = states->execution;
    struct op space;
    const struct op *op = world_pending(x->world, agent, &space);
    struct suspect suspect = {.agent = agent, .op = op};
    struct footprint footprint;

    if (!op || !world_ready(x->world, agent))
        return OPSET_EMPTY;
    if (op_touch(x->world, &view_now, agent, op, &footprint, NULL) == TOUCH_DISABLED)
        footprint.count = suspect_looks(x, &suspect, footprint.at);
    else
        suspect.accesses = footprint.at;
    return opset_of(&states->visibles,
                    visible_of(&states->visibles, &suspect, footprint.at, footprint.count));
}

/* delta: all that are pending, also those that have to wait: they may wait for ever. */
static opset_id pending_ops(struct states *states)
{
    const struct world *world = world_of(states);
    opset_id set = OPSET_EMPTY;

    for (uint32_t i = 0; i < world->active.count; i++)
        set = opset_union(&states->visibles, set, pending_op(states, world->active.at[i]));
    return set;
}

/* The summary of Figure 7, line 5: all that is reachable in the graph from the operations that can run. */
static opset_id graph_reach(struct states *states, opset_id set)
{
    opset_id before;

    do {
        struct opset_range range = states->visibles.sets.at[set];

        before = set;
        for (uint32_t i = 0; i < range.count; i++) {
            struct opset_word word = states->visibles.words.at[range.first + i];

            for (; word.bits; word.bits &= word.bits - 1) {
                visible_id id = word.index * 64 + (unsigned)__builtin_ctzll(word.bits);

                if (id < states->next.count)
                    set = opset_union(&states->visibles, set, states->next.at[id]);
            }
        }
    } while (set != before);
    return set;
}

static opset_id summary_of(struct states *states, const struct state_entry *entry, uint32_t depth)
{
    opset_id set;

    if (states->kind == STATES_EXACT)
        return entry->follows;
    set = pending_ops(states);
    if (depth > 0)
        edge_add(states, states->frames.at[depth].by, set);
    return graph_reach(states, set);
}

static void plan_reversal(void *context, event_id first, const struct suspect *suspect)
{
    struct states *states = context;

    enabled_reverse(&states->enabled, states->nodes, first, suspect->agent, suspect->pre);
}

/* UpdateBacktrackSets of Figure 6, for all events of the run. */
static void visible_ahead(void *context, const struct visible *op)
{
    struct states *states = context;
    struct execution *x = states->execution;
    struct suspect suspect = {.agent = op->agent,
                              .op = &op->op,
                              .pre = execution_clock_of(x, op->agent),
                              .accesses = &states->visibles.accesses.at[op->accesses],
                              .access_count = op->access_count};

    if (op->access_count)
        races_ahead(x, &suspect, plan_reversal, states);
}

/* ---- known states */

static void stop_here(struct states *states, uint32_t depth)
{
    states->frames.at[depth].known = true;
    states->stats.revisited++;
    nodes_forget(states->nodes, depth);
}

/* Back at a state that is being explored, or at one that leads to such a one: what follows is what follows that one, and not all of that is known. It
 * has the same events before it, so they are taken care of; those since then are by trying everything. */
static void cycle_close(struct states *states, uint32_t depth, uint32_t back)
{
    for (uint32_t d = back; d < depth; d++)
        enabled_plan(&states->enabled, states->nodes, d);
    states->frames.at[depth].low = back;
    states->stats.cycles++;
    stop_here(states, depth);
}

/* An explored state: what follows it is held against the run. */
static void summary_apply(struct states *states, const struct state_entry *entry, uint32_t depth)
{
    opset_id set = summary_of(states, entry, depth);

    opset_each(&states->visibles, set, visible_ahead, states);
    follows_add(states, depth, set);
    states->frames.at[depth].future = entry->future;
}

/* What was asleep when the state was explored, and is not now, is all that is to be tried (`sleeping`). What is asleep now and was not then wakes up for
 * that: else who begins with one of either would have been left out both times. */
static void explore_awake(struct states *states, struct state_entry *entry, uint32_t depth)
{
    struct sleep_sets *sleep = &states->nodes->sleep;
    struct opset_range range = states->sleeper_sets.at[entry->sleepers];
    uint32_t kept = sleep->first.at[depth];

    nodes_forget(states->nodes, depth);
    for (uint32_t i = 0; i < states->sleeping.count; i++)
        nodes_plan(states->nodes, depth, states->sleeping.at[i], false);
    for (uint32_t i = kept; i < sleep->sleepers.count; i++)
        for (uint32_t j = 0; j < range.count; j++) {
            struct choice choice = states->sleepers.at[range.first + j];

            if (choice.agent == sleep->sleepers.at[i]->choice.agent &&
                choice.outcome == sleep->sleepers.at[i]->choice.outcome)
                sleep->sleepers.at[kept++] = sleep->sleepers.at[i];
        }
    sleep->sleepers.count = kept;
    entry->sleepers = sleepers_now(states, depth);
}

/* Whether the run can stop at an explored state. If not, it is on the stack now, and explored again in whole or in part. */
static bool closed_match(struct states *states, uint32_t depth, uint32_t found)
{
    struct state_entry *entry = &states->entries.at[found];
    struct state_frame *frame = &states->frames.at[depth];
    bool ordered =
        !states->futures || states->with_knowledge || states->futures->ordered(entry->future);

    if (ordered && sleepers_awake(states, entry->sleepers, depth) == 0) {
        summary_apply(states, entry, depth);
        stop_here(states, depth);
        return true;
    }
    frame->entry = found;
    entry->depth = depth;
    if (!ordered) {
        entry->sleepers = sleepers_now(states, depth);
        return false;
    }
    summary_apply(states, entry, depth);
    sleepers_awake(states, entry->sleepers, depth);
    explore_awake(states, entry, depth);
    return false;
}

static bool table_is_full(struct states *states)
{
    struct states_stats *stats = &states->stats;

    if (stats->states % 1024 == 0)
        stats->bytes = states_bytes(states);
    stats->full |= states->max_bytes && stats->bytes > states->max_bytes;
    return stats->full;
}

/* The state gets an entry of its own; the one that has the same print, and is of no use, if there is one. */
static void entry_begin(struct states *states, uint32_t depth, struct fingerprint print,
                        uint32_t found)
{
    struct state_entry entry = {
        .print = print, .sleepers = sleepers_now(states, depth), .depth = depth};

    if (found == STATE_NONE) {
        if (table_is_full(states))
            return;
        found = states->entries.count;
        vec_push(states->arena, &states->entries, entry);
        map_add(&states->by_print, print.low, found);
        states->stats.states++;
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
    if (sleepers_awake(states, entry->sleepers, depth) == 0) {
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

    if (!state_print(states, &states->frames.at[depth], &print))
        return false;
    found = map_get(&states->by_print, print.low);
    if (found == MAP_ABSENT || states->entries.at[found].depth == STATE_DEAD) {
        entry_begin(states, depth, print, found);
        return false;
    }
    if (states->entries.at[found].print.high != print.high)
        return false; /* half of the bits are equal: it goes without an entry */
    if (states->entries.at[found].depth == STATE_CLOSED)
        return closed_match(states, depth, found);
    return cycle_match(states, depth, found);
}

/* What is kept of the state on the stack: whatever is known of it without comparing it. */
static void frame_push(struct states *states, uint32_t depth)
{
    struct world *world = world_of(states);
    struct execution *x = states->execution;
    struct state_frame frame = {.entry = STATE_NONE,
                                .sum = world->sum,
                                .low = depth,
                                .moved = AGENT_NONE,
                                .open = states->open.count,
                                .begun = states->begun.count};

    CHECK(states->frames.count == depth, "states out of step");
    if (depth > 0) {
        const struct event *event = &x->events.at[depth - 1];

        frame.lone = states->frames.at[depth - 1].lone;
        frame.by = states->last;
        if (states->kind == STATES_DELTA && !world->agents.at[event->agent].is_buffer) {
            frame.moved = event->agent;
            frame.before = *local_of(states, event->agent);
            local_next(states, event->agent);
        }
        if (is_lone(world)) {
            fingerprint_word(&frame.lone, event->outcome);
            fingerprint_bytes(&frame.lone, &event->result, sizeof event->result);
        }
        if (states->futures)
            frame.passage = states->futures->passed();
    }
    if (states->kind == STATES_DELTA)
        locals_begin(states);
    vec_push(states->arena, &states->frames, frame);
    enabled_enter(&states->enabled, x);
}

bool states_enter(struct states *states, uint32_t depth)
{
    frame_push(states, depth);
    if (depth == 0 && states->futures)
        states->futures->begin();
    return state_match(states, depth);
}

/* What was below it is not known: it matches nothing. `optimal` may have planned other outcomes of an operation elsewhere, and `source` counts on them
 * being tried where one of them was. */
static void state_catch_up(void *context, uint32_t depth)
{
    struct states *states = context;

    frame_push(states, depth);
    if (depth == 0 && states->futures)
        states->futures->begin();
    states->frames.at[depth].partly = true;
    nodes_plan_outcomes(states->nodes, depth);
}

bool states_catch_up(struct states *states, event_id *at)
{
    return execution_replay_each(states->execution, at, state_catch_up, states);
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

    entry->follows = opset_union(&states->visibles, entry->follows, frame->follows);
    if (states->futures)
        entry->future = states->futures->either(entry->future, frame->future);
    if (frame->partly) {
        entry->depth = STATE_DEAD;
    } else if (frame->low < depth) {
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

    follows_add(states, depth - 1, frame->follows);
    if (states->futures)
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
        *local_of(states, states->begun.at[--states->begun.count]) = (struct fingerprint){0, 0};
    if (frame.moved != AGENT_NONE)
        *local_of(states, frame.moved) = frame.before;
    enabled_leave(&states->enabled, depth);
    states->frames.count = depth;
}

void states_return(struct states *states, uint32_t depth)
{
    world_of(states)->sum = states->frames.at[depth].sum;
    world_of(states)->sums = true;
    if (states->futures)
        states->futures->begin();
}

void states_resume(struct states *states)
{
    for (uint32_t d = 0; d < states->frames.count; d++)
        states->frames.at[d].partly = true;
    world_of(states)->sums = true;
}

uint64_t states_bytes(const struct states *states)
{
    return (uint64_t)states->entries.room * sizeof *states->entries.at +
           (uint64_t)(states->by_print.mask + 1) * sizeof(struct map_slot) +
           (uint64_t)states->sleepers.room * sizeof *states->sleepers.at +
           (uint64_t)states->sleeper_sets.room * sizeof *states->sleeper_sets.at +
           visibles_bytes(&states->visibles);
}
