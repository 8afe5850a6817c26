#include "cluster/worker.h"

#include <xxhash.h>

#include "base/check.h"
#include "cluster/twig.h"
#include "explore/sequence.h"

/* ---- bytes */

void stats_write(const struct explorer_stats *stats, const struct explorer_stats *told,
                 struct bytes *out)
{
    bytes_number(out, stats->executions - told->executions);
    bytes_number(out, stats->asleep - told->asleep);
    bytes_number(out, stats->assumes - told->assumes);
    bytes_number(out, stats->transitions - told->transitions);
    bytes_number(out, stats->replayed - told->replayed);
    bytes_number(out, stats->max_depth);
    bytes_number(out, stats->max_bytes);
    bytes_number(out, stats->cut);
    bytes_number(out, stats->states.states - told->states.states);
    bytes_number(out, stats->states.revisited - told->states.revisited);
    bytes_number(out, stats->states.cycles - told->states.cycles);
    bytes_number(out, stats->states.untold - told->states.untold);
    bytes_number(out, stats->states.bytes);
    bytes_number(out, stats->states.full);
    bytes_number(out, stats->symmetry.checks - told->symmetry.checks);
    bytes_number(out, stats->symmetry.found - told->symmetry.found);
    bytes_number(out, stats->symmetry.saved - told->symmetry.saved);
}

void stats_read(struct explorer_stats *stats, struct bytes_reader *in)
{
    uint64_t depth, memory, tables;

    stats->executions += bytes_read_number(in);
    stats->asleep += bytes_read_number(in);
    stats->assumes += bytes_read_number(in);
    stats->transitions += bytes_read_number(in);
    stats->replayed += bytes_read_number(in);
    depth = bytes_read_number(in);
    memory = bytes_read_number(in);
    stats->max_depth = depth > stats->max_depth ? depth : stats->max_depth;
    stats->max_bytes = memory > stats->max_bytes ? memory : stats->max_bytes;
    stats->cut |= bytes_read_below(in, UINT32_MAX);
    stats->states.states += bytes_read_number(in);
    stats->states.revisited += bytes_read_number(in);
    stats->states.cycles += bytes_read_number(in);
    stats->states.untold += bytes_read_number(in);
    tables = bytes_read_number(in);
    stats->states.bytes = tables > stats->states.bytes ? tables : stats->states.bytes;
    stats->states.full |= bytes_read_number(in) != 0;
    stats->symmetry.checks += bytes_read_number(in);
    stats->symmetry.found += bytes_read_number(in);
    stats->symmetry.saved += bytes_read_number(in);
}

void names_write(const struct work *work, struct bytes *out)
{
    struct work names = {.agents = {work->agents.at, work->agents.count, 0},
                         .locations = {work->locations.at, work->locations.count, 0}};

    work_write_names(&names, out);
}

bool names_read(struct work *work, struct arena *arena, struct bytes_reader *in)
{
    work_open(work, arena);
    work_read_names(work, in);
    return !in->failed;
}

/* Where the length of the message goes. */
static uint32_t message_begin(struct worker *worker, enum message_kind kind)
{
    uint32_t start = worker->out.data.count;

    bytes_add(&worker->out, "\0\0\0\0", 4);
    bytes_number(&worker->out, kind);
    bytes_number(&worker->out, worker->item);
    return start;
}

static void message_end(struct worker *worker, uint32_t start)
{
    uint32_t size = worker->out.data.count - start - 4;

    for (unsigned i = 0; i < 4; i++)
        worker->out.data.at[start + i] = (uint8_t)(size >> (8 * i));
}

/* ---- what has to be tried above */

static void found_begin(struct worker_found *found, struct arena *arena)
{
    vec_free(arena, &found->names_of.agents);
    vec_free(arena, &found->names_of.locations);
    vec_free(arena, &found->names.agents);
    vec_free(arena, &found->names.locations);
    work_open(&found->names_of, arena);
    names_open(&found->names, &found->names_of);
    found->bytes.data.count = 0;
    found->count = 0;
}

static void one_tell(struct worker *worker, struct worker_found *found, enum message_kind kind)
{
    uint32_t start;

    if (!found->count)
        return;
    start = message_begin(worker, kind);
    names_write(&found->names_of, &worker->out);
    bytes_number(&worker->out, found->count);
    bytes_add(&worker->out, found->bytes.data.at, found->bytes.data.count);
    message_end(worker, start);
    found_begin(found, worker->arena);
}

static void found_tell(struct worker *worker)
{
    one_tell(worker, &worker->inserts, MESSAGE_INSERT);
    one_tell(worker, &worker->plans, MESSAGE_PLAN);
}

/* What a sequence is, apart from how it looks as bytes: names may come in another order. */
static uint64_t sequence_hash(const struct sequence *v, const struct execution *x, uint32_t depth)
{
    uint64_t hash = mix64(depth + 1);

    for (uint32_t i = 0; i < v->steps.count; i++) {
        const struct sequence_step *step = &v->steps.at[i];

        hash = mix64(hash ^ ((uint64_t)step->choice.agent << 32 | step->choice.outcome));
        if (step->event != EVENT_NONE) {
            const struct event *event = &x->events.at[step->event];

            for (uint32_t k = 0; k < event->access_count; k++) {
                struct access access = x->accesses.at[event->accesses + k].access;

                hash = mix64(hash + ((uint64_t)access.loc << 16 | access.bytes << 8 | access.mode));
            }
        }
    }
    for (uint32_t i = 0; i < v->race->access_count; i++) {
        struct access access = race_accesses(x, v->race)[i];

        hash = mix64(hash + ((uint64_t)access.loc << 16 | access.bytes << 8 | access.mode));
    }
    return hash | 1;
}

static void worker_insert(struct above *above, uint32_t depth, const struct sequence *v)
{
    struct worker *worker = (struct worker *)above;
    const struct execution *x = &worker->explorer->execution;
    uint64_t hash = sequence_hash(v, x, depth);

    if (worker->told_hashes[hash >> 1 & (WORKER_TOLD - 1)] == hash)
        return;
    worker->told_hashes[hash >> 1 & (WORKER_TOLD - 1)] = hash;
    reversal_write(v, x, depth, &worker->inserts.names, &worker->inserts.bytes);
    worker->inserts.count++;
}

/* From now on it is known there. */
static void worker_plan(struct above *above, uint32_t depth, struct choice choice, bool urgent)
{
    struct worker *worker = (struct worker *)above;
    struct nodes *nodes = (struct nodes *)worker->explorer->reduction;
    struct branch **link = &nodes->at.at[depth].planned;
    struct branch *known = branch_new(worker->arena, choice, NULL, 0);
    struct worker_found *plans = &worker->plans;

    known->inexact = true;
    while (*link)
        link = &(*link)->sibling;
    *link = known;
    bytes_number(&plans->bytes, (uint64_t)depth << 1 | urgent);
    choice_write(names_choice_of(&plans->names, &worker->explorer->world, choice), &plans->bytes);
    plans->count++;
}

/* ---- giving away */

/* Leaves of what is planned in a state. */
static uint32_t leaves_of(const struct branch *list)
{
    uint32_t leaves = 0;

    for (; list; list = list->sibling)
        leaves += list->child ? leaves_of(list->child) : 1;
    return leaves;
}

/* The states from the item's root to `last`. */
static void part_write(struct worker *worker, uint32_t last)
{
    const struct explorer *explorer = worker->explorer;
    const struct nodes *nodes = (const struct nodes *)explorer->reduction;
    const struct execution *x = &explorer->execution;
    struct work_names names;
    struct work part;

    work_open(&part, worker->scratch);
    names_open(&names, &part);
    for (uint32_t depth = explorer->root; depth <= last; depth++) {
        const struct node *node = &nodes->at.at[depth];
        struct work_node copy = {
            .planned = names_branches(&names, x->world, node->planned),
            .done = names_branches(&names, x->world, node->done),
        };

        if (depth < x->events.count)
            vec_push(part.arena, &part.schedule, work_step_of(&names, x, depth));
        else if (node->current) /* explored */
            work_done_add(&copy, names_branches(&names, x->world, node->current));
        vec_push(part.arena, &part.nodes, copy);
    }
    if (part.nodes.count == part.schedule.count)
        vec_push(part.arena, &part.nodes, (struct work_node){0}); /* the one that it keeps */
    bytes_number(&worker->out, last + 1 - explorer->root);
    work_write_inner(&part, &worker->out);
}

/* In a program that goes round for ever, whoever takes over something from a cycle goes round it once more before it knows: if that were given away again, there would be no end. */
static bool goes_round(const struct explorer *explorer)
{
    return states_kind_compares(explorer->options.states) && explorer->states.stats.cycles > 0;
}

/* All states up to the shallowest that has something left become the coordinator's; the worker goes on below. */
static void worker_split(struct worker *worker)
{
    struct explorer *explorer = worker->explorer;
    struct nodes *nodes = (struct nodes *)explorer->reduction;
    uint32_t first = UINT32_MAX, open = 0, start;

    for (uint32_t depth = explorer->root; depth < nodes->at.count && !goes_round(explorer);
         depth++) {
        open += leaves_of(nodes->at.at[depth].planned);
        if (first == UINT32_MAX && open > 0)
            first = depth;
        if (open > worker->limit)
            break;
    }
    if (open <= worker->limit) {
        if (!worker->has_nothing)
            message_end(worker, message_begin(worker, MESSAGE_NOTHING));
        worker->has_nothing = true;
        return;
    }
    worker->wanted = false;
    start = message_begin(worker, MESSAGE_SPLIT);
    stats_write(&explorer->stats, &worker->told, &worker->out);
    part_write(worker, first);
    worker->told = explorer->stats;
    /* what is planned in those states is now what is known to be planned there */
    explorer->root = nodes->root = first + 1;
    if (first + 1 >= nodes->at.count) { /* that was all */
        explorer_reset(explorer);
        worker->busy = false;
    } else {
        struct work rest;

        work_open(&rest, worker->scratch);
        work_take(&rest, explorer);
        work_write_inner(&rest, &worker->out);
    }
    message_end(worker, start);
    arena_reset(worker->scratch);
}

/* What is left of the item, between two runs: what was done before counts from now on. */
static void rest_tell(struct worker *worker)
{
    uint32_t start;
    struct work work;

    worker->tells = worker->fresh;
    if (worker->fresh)
        return; /* all of it is */
    if (worker->explorer->comparing)
        states_hand_over(&worker->explorer->states);
    found_tell(worker); /* before what is left */
    work_open(&work, worker->scratch);
    work_take(&work, worker->explorer);
    start = message_begin(worker, MESSAGE_REST);
    stats_write(&worker->explorer->stats, &worker->told, &worker->out);
    work_write_inner(&work, &worker->out);
    message_end(worker, start);
    arena_reset(worker->scratch);
    worker->told = worker->explorer->stats;
}

/* ---- messages */

static void worker_done(struct worker *worker, bool in_vain)
{
    uint32_t start = message_begin(worker, MESSAGE_DONE);

    explorer_settle(worker->explorer);
    stats_write(&worker->explorer->stats, &worker->told, &worker->out);
    bytes_number(&worker->out, in_vain);
    message_end(worker, start);
    worker->told = worker->explorer->stats;
    explorer_reset(worker->explorer);
    worker->busy = worker->wanted = worker->tells = false;
}

static void worker_failed(struct worker *worker, const char *why)
{
    uint32_t start = message_begin(worker, MESSAGE_FAILED);

    bytes_add(&worker->out, why, strlen(why));
    message_end(worker, start);
    worker->failed = worker->stopped = true;
    worker->busy = false;
}

/* What the steps touch of which whoever planned them did not know. */
static void touched_tell(struct worker *worker, const struct work *work)
{
    const struct execution *x = &worker->explorer->execution;
    uint32_t start, count = 0;
    struct work names_of;
    struct work_names names;
    struct bytes rest;

    work_open(&names_of, worker->scratch);
    names_open(&names, &names_of);
    bytes_open(&rest, worker->scratch);
    for (uint32_t i = 0; i < work->schedule.count; i++) {
        const struct event *event = &x->events.at[i];
        struct choice choice = {event->agent, event->outcome, event_wakes(event)};
        struct access *accesses;
        uint32_t access_count;

        if (!work->schedule.at[i].inexact)
            continue;
        count++;
        bytes_number(&rest, i);
        choice_write(names_choice_of(&names, x->world, choice), &rest);
        accesses = names_accesses(&names, x, i, &access_count);
        accesses_write(accesses, access_count, &rest);
    }
    if (count == 0)
        return;
    start = message_begin(worker, MESSAGE_TOUCHED);
    names_write(&names_of, &worker->out);
    bytes_number(&worker->out, count);
    bytes_add(&worker->out, rest.data.at, rest.data.count);
    message_end(worker, start);
}

static void take_item(struct worker *worker, struct bytes_reader *in)
{
    struct work work;
    bool adopted;

    CHECK(!worker->busy, "a worker got an item while it had one");
    if (!work_read_inner(&work, worker->scratch, in)) {
        worker_failed(worker, "an item is damaged");
        return;
    }
    memset(worker->told_hashes, 0, sizeof worker->told_hashes);
    worker->busy = worker->fresh = true;
    found_begin(&worker->inserts, worker->arena);
    found_begin(&worker->plans, worker->arena);
    adopted = explorer_adopt(worker->explorer, &work);
    if (worker->explorer->diverged != EVENT_NONE) {
        worker_failed(worker, "the program does not repeat what it did for another worker");
    } else if (!adopted) {
        worker_done(worker, true);
    } else {
        touched_tell(worker, &work);
        found_tell(worker); /* the last step may have had races */
    }
}

static void take_known(struct worker *worker, struct bytes_reader *in)
{
    struct nodes *nodes = (struct nodes *)worker->explorer->reduction;
    struct work_numbers numbers;
    struct work names;
    uint32_t count;

    if (!names_read(&names, worker->scratch, in))
        return;
    numbers_open(&numbers, &names, &worker->explorer->world, worker->scratch);
    count = bytes_read_count(in, 2);
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        uint32_t depth = bytes_read_below(in, worker->explorer->root);
        struct branch *named =
            branches_read(worker->scratch, in, names.agents.count, names.locations.count);

        if (!in->failed)
            nodes_learn(nodes, depth, numbers_branches(&numbers, worker->arena, named));
    }
}

void worker_receive(struct worker *worker, const void *at, size_t size)
{
    struct bytes_reader in = {.at = at, .end = (const uint8_t *)at + size};
    uint32_t kind = bytes_read_below(&in, MESSAGE_KINDS);
    uint32_t item = bytes_read_below(&in, (uint64_t)UINT32_MAX + 1);

    switch (kind) {
    case MESSAGE_ITEM:
        worker->item = item;
        if (!worker->stopped)
            take_item(worker, &in);
        break;
    case MESSAGE_KNOWN:
        if (worker->busy && worker->item == item)
            take_known(worker, &in);
        break;
    case MESSAGE_WANTED:
        worker->wanted = worker->busy;
        worker->has_nothing = false;
        break;
    case MESSAGE_TELL:
        if (worker->busy)
            rest_tell(worker);
        break;
    case MESSAGE_STATS:
        if (worker->busy)
            worker_tell_stats(worker);
        break;
    case MESSAGE_STOP:
        worker_stop(worker);
        break;
    }
    arena_reset(worker->scratch);
}

bool worker_advance(struct worker *worker)
{
    struct explorer *explorer = worker->explorer;
    bool more;

    if (!worker->busy || worker->stopped)
        return false;
    more = explorer_advance(explorer);
    worker->fresh = false;
    found_tell(worker);
    if (explorer->diverged != EVENT_NONE) {
        worker_failed(worker, "the program is not deterministic");
        return false;
    }
    if (!more && explorer->path.count > explorer->root) {
        worker->gives_up = true; /* a limit, or the observer */
        worker_stop(worker);
        return false;
    }
    if (!more)
        worker_done(worker, false);
    else if (worker->wanted)
        worker_split(worker);
    if (worker->busy && worker->tells)
        rest_tell(worker);
    return worker->busy;
}

void worker_stop(struct worker *worker)
{
    if (worker->busy)
        worker_tell_stats(worker);
    worker->stopped = true;
    worker->busy = false;
}

void worker_tell_stats(struct worker *worker)
{
    uint32_t start = message_begin(worker, MESSAGE_STATS);

    explorer_settle(worker->explorer);
    stats_write(&worker->explorer->stats, &worker->told, &worker->out);
    bytes_number(&worker->out, worker->gives_up);
    message_end(worker, start);
}

void worker_tell_bug(struct worker *worker, const void *at, size_t size)
{
    uint32_t start = message_begin(worker, MESSAGE_BUG);

    bytes_add(&worker->out, at, size);
    message_end(worker, start);
}

void worker_open(struct worker *worker, struct explorer *explorer, struct arena *memory,
                 uint32_t limit, const struct work_identity *identity)
{
    uint32_t start;

    memset(worker, 0, sizeof *worker);
    worker->above = (struct above){.plan = worker_plan, .insert = worker_insert};
    worker->explorer = explorer;
    worker->arena = explorer->arena;
    worker->scratch = memory;
    worker->limit = limit;
    ((struct nodes *)explorer->reduction)->above = &worker->above;
    ((struct nodes *)explorer->reduction)->shortens = true;
    bytes_open(&worker->out, worker->arena);
    bytes_open(&worker->inserts.bytes, worker->arena);
    bytes_open(&worker->plans.bytes, worker->arena);
    found_begin(&worker->inserts, worker->arena);
    found_begin(&worker->plans, worker->arena);
    start = message_begin(worker, MESSAGE_READY);
    bytes_word(&worker->out, identity->program);
    bytes_word(&worker->out, identity->options);
    message_end(worker, start);
}
