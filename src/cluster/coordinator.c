#include "cluster/coordinator.h"

#include <stdio.h>

#include "base/check.h"
#include "cluster/worker.h"

#define ASKED_MAX                                                                                  \
    32 /* more at once would bring more than can be taken, and hold up those who work */
#define RESERVE      ((size_t)1 << 34)
#define REST_RESERVE ((size_t)1 << 30) /* for what one worker has left */

int coordinator_open(struct coordinator *coordinator, struct arena *arena,
                     const struct coordinator_options *options)
{
    memset(coordinator, 0, sizeof *coordinator);
    coordinator->options = *options;
    coordinator->arena = arena;
    if (arena_open(&coordinator->scratch, RESERVE) != 0)
        return -1;
    if (options->compares)
        coordinator->options.reduction = options->reduction->with_states;
    twigs_open(&coordinator->twigs, arena, coordinator->options.reduction,
               options->reduction->sleeps && !options->compares);
    for (uint32_t i = 0; i < options->workers; i++)
        vec_push(arena, &coordinator->workers,
                 ((struct coordinator_worker){.rest_bytes = {.arena = arena}}));
    return 0;
}

void coordinator_close(struct coordinator *coordinator)
{
    for (uint32_t i = 0; i < coordinator->workers.count; i++)
        arena_close(&coordinator->workers.at[i].rest_arena);
    for (uint32_t i = 0; i < coordinator->rests.count; i++)
        arena_close(&coordinator->rests.at[i]);
    arena_close(&coordinator->scratch);
}

void coordinator_begin(struct coordinator *coordinator, struct work *work)
{
    coordinator->twigs.root->rest = work;
    coordinator->stats = work->stats;
}

/* ---- sending */

static struct bytes *message_to(struct coordinator *coordinator, uint32_t worker,
                                enum message_kind kind)
{
    struct message message = {.worker = worker};

    bytes_open(&message.bytes, coordinator->arena);
    bytes_number(&message.bytes, kind);
    bytes_number(&message.bytes, coordinator->workers.at[worker].item);
    vec_push(coordinator->arena, &coordinator->out, message);
    coordinator->sent++;
    return &vec_last(&coordinator->out).bytes;
}

void coordinator_sent(struct coordinator *coordinator)
{
    for (uint32_t i = 0; i < coordinator->out.count; i++)
        vec_free(coordinator->arena, &coordinator->out.at[i].bytes.data);
    coordinator->out.count = 0;
}

/* In the states that are above the item now, it knows what is behind its path: that was in the item, or comes from it. */
static void told_widen(struct coordinator *coordinator, struct coordinator_worker *worker,
                       uint64_t since)
{
    while (worker->told.count < worker->twig->depth)
        vec_push(coordinator->arena, &worker->told, since);
}

/* Of those that have not answered yet, so many shall be asked for some of what they have. */
static void ask_for_work(struct coordinator *coordinator, uint32_t wanted)
{
    while (coordinator->asked - coordinator->silent < wanted &&
           coordinator->next_first < coordinator->next.count) {
        uint32_t number = coordinator->next.at[coordinator->next_first++];
        struct coordinator_worker *worker = &coordinator->workers.at[number];

        worker->next = false;
        if (!worker->twig || worker->asked)
            continue;
        worker->asked = true;
        coordinator->asked++;
        message_to(coordinator, number, MESSAGE_WANTED);
    }
}

/* It may be asked for work. */
static void next_add(struct coordinator *coordinator, uint32_t number)
{
    struct coordinator_worker *worker = &coordinator->workers.at[number];

    if (worker->next)
        return;
    if (coordinator->next_first == coordinator->next.count)
        coordinator->next_first = coordinator->next.count = 0;
    if (coordinator->next_first > coordinator->workers.count) {
        coordinator->next.count -= coordinator->next_first;
        memmove(coordinator->next.at, coordinator->next.at + coordinator->next_first,
                coordinator->next.count * sizeof *coordinator->next.at);
        coordinator->next_first = 0;
    }
    worker->next = true;
    vec_push(coordinator->arena, &coordinator->next, number);
}

/* It has answered, or there is nothing more to ask it for. */
static void asked_end(struct coordinator *coordinator, struct coordinator_worker *worker)
{
    coordinator->asked -= worker->asked;
    coordinator->silent -= worker->has_nothing;
    worker->asked = worker->has_nothing = false;
}

static void item_send(struct coordinator *coordinator, uint32_t number, struct twig *twig)
{
    struct coordinator_worker *worker = &coordinator->workers.at[number];
    struct work work, *rest = twig->rest;

    worker->item = coordinator->items++;
    worker->twig = twig;
    worker->tells = false;
    worker->ahead = (struct explorer_stats){0};
    coordinator->busy++;
    if (rest) {
        work_write_inner(rest, message_to(coordinator, number, MESSAGE_ITEM));
    } else {
        work_open(&work, &coordinator->scratch);
        twig_work(&coordinator->twigs, twig, &work);
        work_write_inner(&work, message_to(coordinator, number, MESSAGE_ITEM));
    }
    twig_take(&coordinator->twigs, twig, worker->item);
    worker->told.count = 0;
    told_widen(coordinator, worker, rest ? 0 : coordinator->twigs.clock);
    next_add(coordinator, number);
    /* it stays what is left until the new one tells: this one may be lost, too */
    worker->rest = rest;
    worker->rest_bytes.data.count = 0;
}

static void hand_out(struct coordinator *coordinator)
{
    struct twig *twig;

    if (coordinator->stopped)
        return;
    while (coordinator->idle.count > 0 && (twig = twigs_next(&coordinator->twigs)))
        item_send(coordinator, coordinator->idle.at[--coordinator->idle.count], twig);
    if (coordinator->idle.count > 0)
        ask_for_work(coordinator, coordinator->idle.count < ASKED_MAX / 2
                                      ? 2 * coordinator->idle.count
                                      : ASKED_MAX);
}

/* The worker has no item any more. */
static void item_end(struct coordinator *coordinator, uint32_t number)
{
    struct coordinator_worker *worker = &coordinator->workers.at[number];

    asked_end(coordinator, worker);
    worker->twig = NULL;
    worker->rest = NULL;
    worker->rest_bytes.data.count = 0;
    worker->ahead = (struct explorer_stats){0};
    coordinator->busy--;
    vec_push(coordinator->arena, &coordinator->idle, number);
}

/* ---- receiving */

void coordinator_fail(struct coordinator *coordinator, const char *why)
{
    if (!coordinator->failed)
        snprintf(coordinator->why, sizeof coordinator->why, "%s", why);
    coordinator->failed = true;
    coordinator_stop(coordinator);
}

/* What follows in the message is not what its beginning says: the worker is of another make. */
static void message_is_wrong(struct coordinator *coordinator, uint32_t worker)
{
    char why[100];

    snprintf(why, sizeof why, "a message of worker %u cannot be read", worker);
    coordinator_fail(coordinator, why);
}

static void take_ready(struct coordinator *coordinator, uint32_t number, struct bytes_reader *in)
{
    struct coordinator_worker *worker = &coordinator->workers.at[number];
    struct work_identity identity = {.program = bytes_read_word(in)};

    identity.options = bytes_read_word(in);
    if (in->failed || identity.program != coordinator->options.identity.program ||
        identity.options != coordinator->options.identity.options) {
        snprintf(coordinator->why, sizeof coordinator->why,
                 "worker %u has another build of the program, or other options", number);
        coordinator->failed = true;
        coordinator_stop(coordinator);
        return;
    }
    if (worker->here)
        return;
    worker->here = true;
    vec_push(coordinator->arena, &coordinator->idle, number);
    if (coordinator->dismissed)
        message_to(coordinator, number, MESSAGE_STOP);
}

/* All of `names` in the tree's own numbers. */
static bool numbers_take(struct coordinator *coordinator, struct bytes_reader *in,
                         struct work_numbers *numbers, struct work *names)
{
    if (!names_read(names, &coordinator->scratch, in))
        return false;
    glossary_numbers(&coordinator->twigs.glossary, names, numbers, &coordinator->scratch);
    return true;
}

/* What comes behind the item's path in the states that it told something for. */
static void known_send(struct coordinator *coordinator, uint32_t number, const uint32_t *depths,
                       uint32_t count)
{
    struct coordinator_worker *worker = &coordinator->workers.at[number];
    struct arena *arena = &coordinator->scratch;
    struct bytes rest, *out;
    struct work names_of;
    struct glossary_names names = {.glossary = &coordinator->twigs.glossary, .work = &names_of};

    work_open(&names_of, arena);
    bytes_open(&rest, arena);
    for (uint32_t i = 0; i < count; i++) {
        bytes_number(&rest, depths[i]);
        branches_write(twig_known(&coordinator->twigs, &names, worker->twig, depths[i],
                                  &worker->told.at[depths[i]]),
                       &rest);
    }
    out = message_to(coordinator, number, MESSAGE_KNOWN);
    names_write(&names_of, out);
    bytes_number(out, count);
    bytes_add(out, rest.data.at, rest.data.count);
}

static bool depth_is_new(const uint32_t *depths, uint32_t count, uint32_t depth)
{
    for (uint32_t i = 0; i < count; i++)
        if (depths[i] == depth)
            return false;
    return true;
}

static void take_insert(struct coordinator *coordinator, uint32_t number, struct bytes_reader *in)
{
    struct twig *twig = coordinator->workers.at[number].twig;
    struct arena *arena = &coordinator->scratch;
    struct work_numbers numbers;
    struct reversal reversal;
    struct work names;
    VEC(uint32_t) depths = {0};
    uint32_t count;

    if (!numbers_take(coordinator, in, &numbers, &names))
        return;
    count = bytes_read_count(in, 2);
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        if (!reversal_read(&reversal, arena, in, &numbers) || reversal.depth >= twig->depth) {
            in->failed = true;
            return;
        }
        twigs_insert(&coordinator->twigs, twig_at(twig, reversal.depth), &reversal);
        if (depth_is_new(depths.at, depths.count, reversal.depth))
            vec_push(arena, &depths, reversal.depth);
    }
    known_send(coordinator, number, depths.at, depths.count);
}

static void take_plan(struct coordinator *coordinator, uint32_t number, struct bytes_reader *in)
{
    struct twig *twig = coordinator->workers.at[number].twig;
    struct work_numbers numbers;
    struct work names;
    uint32_t count;

    if (!numbers_take(coordinator, in, &numbers, &names))
        return;
    count = bytes_read_count(in, 2);
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        uint64_t word = bytes_read_number(in);
        struct choice choice = choice_read(in, names.agents.count);

        if (in->failed || word >> 1 >= twig->depth) {
            in->failed = true;
            return;
        }
        twigs_plan(&coordinator->twigs, twig_at(twig, (uint32_t)(word >> 1)),
                   numbers_choice(&numbers, choice), word & 1);
    }
}

static void take_touched(struct coordinator *coordinator, uint32_t number, struct bytes_reader *in)
{
    struct twig *item = coordinator->workers.at[number].twig;
    struct work_numbers numbers;
    struct work names;
    uint32_t count;

    if (!numbers_take(coordinator, in, &numbers, &names))
        return;
    count = bytes_read_count(in, 3);
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        uint32_t depth = bytes_read_below(in, item->depth);
        struct branch named = {.choice = choice_read(in, names.agents.count)};
        struct branch *branch;

        named.accesses =
            accesses_read(&coordinator->scratch, in, names.locations.count, &named.access_count);
        if (in->failed)
            return;
        branch = numbers_branches(&numbers, coordinator->arena, &named);
        twig_touch(&coordinator->twigs, twig_at(item, depth), branch);
    }
}

struct work *coordinator_rest(struct coordinator *coordinator, uint32_t number)
{
    struct coordinator_worker *worker = &coordinator->workers.at[number];
    struct bytes *bytes = &worker->rest_bytes;
    struct bytes_reader in = bytes_read(bytes);

    if (bytes->data.count == 0)
        return worker->rest;
    if (worker->rest_arena.base)
        arena_reset(&worker->rest_arena);
    else
        CHECK(arena_open(&worker->rest_arena, REST_RESERVE) == 0, "no memory for a worker's state");
    worker->rest = arena_alloc(&worker->rest_arena, sizeof *worker->rest);
    if (!work_read_inner(worker->rest, &worker->rest_arena, &in) ||
        worker->rest->root != worker->twig->depth) {
        message_is_wrong(coordinator, number);
        worker->rest = NULL;
    }
    bytes->data.count = 0;
    return worker->rest;
}

/* What was done before counts from now on, so that the old rest must not be used any more. */
static void take_rest(struct coordinator *coordinator, uint32_t number, struct bytes_reader *in)
{
    struct coordinator_worker *worker = &coordinator->workers.at[number];

    stats_read(&coordinator->stats, in);
    worker->ahead = (struct explorer_stats){0};
    worker->rest = NULL;
    worker->rest_bytes.data.count = 0;
    bytes_add(&worker->rest_bytes, in->at, (size_t)(in->end - in->at));
    worker->tells = false;
}

static void take_split(struct coordinator *coordinator, uint32_t number, struct bytes_reader *in)
{
    struct coordinator_worker *worker = &coordinator->workers.at[number];
    struct work part;
    uint32_t count;

    stats_read(&coordinator->stats, in);
    worker->ahead = (struct explorer_stats){0};
    worker->rest = NULL;
    worker->rest_bytes.data.count = 0;
    count = bytes_read_below(in, UINT32_MAX);
    if (!work_read_inner(&part, &coordinator->scratch, in) || count == 0 ||
        part.schedule.count > count || count > part.nodes.count) {
        in->failed = true;
        return;
    }
    asked_end(coordinator, worker);
    worker->twig = twig_split(&coordinator->twigs, worker->twig, &part, count);
    if (!worker->twig) {
        item_end(coordinator, number);
        return;
    }
    next_add(coordinator, number);
    bytes_add(&worker->rest_bytes, in->at, (size_t)(in->end - in->at));
    told_widen(coordinator, worker, coordinator->twigs.clock);
}

static void take_done(struct coordinator *coordinator, uint32_t number, struct bytes_reader *in)
{
    struct coordinator_worker *worker = &coordinator->workers.at[number];

    stats_read(&coordinator->stats, in);
    twig_close(&coordinator->twigs, worker->twig, bytes_read_number(in) != 0);
    item_end(coordinator, number);
}

static void take_failed(struct coordinator *coordinator, struct bytes_reader *in)
{
    if (!coordinator->failed)
        snprintf(coordinator->why, sizeof coordinator->why, "%.*s", (int)(in->end - in->at),
                 (const char *)in->at);
    coordinator->failed = true;
    coordinator_stop(coordinator);
}

void coordinator_receive(struct coordinator *coordinator, uint32_t number, const void *at,
                         size_t size)
{
    struct coordinator_worker *worker = &coordinator->workers.at[number];
    struct bytes_reader in = {.at = at, .end = (const uint8_t *)at + size};
    uint32_t kind = bytes_read_below(&in, MESSAGE_KINDS);

    bytes_read_number(&in); /* the item: each worker has one */
    coordinator->received++;
    if (kind == MESSAGE_READY) {
        take_ready(coordinator, number, &in);
    } else if (kind == MESSAGE_FAILED) {
        take_failed(coordinator, &in);
    } else if (kind == MESSAGE_BUG) {
        if (coordinator->options.bug)
            coordinator->options.bug(coordinator->options.context, number, in.at,
                                     (size_t)(in.end - in.at));
    } else if (kind == MESSAGE_STATS) {
        worker->ahead = (struct explorer_stats){0};
        stats_read(&worker->ahead, &in);
        if (bytes_read_number(&in))
            coordinator_stop(coordinator);
    } else if (worker->here && worker->twig && !coordinator->failed) {
        /* also when the search is stopped: what is left has to be known for a checkpoint */
        if (kind == MESSAGE_INSERT)
            take_insert(coordinator, number, &in);
        else if (kind == MESSAGE_PLAN)
            take_plan(coordinator, number, &in);
        else if (kind == MESSAGE_TOUCHED)
            take_touched(coordinator, number, &in);
        else if (kind == MESSAGE_SPLIT)
            take_split(coordinator, number, &in);
        else if (kind == MESSAGE_DONE)
            take_done(coordinator, number, &in);
        else if (kind == MESSAGE_REST)
            take_rest(coordinator, number, &in);
        else if (kind == MESSAGE_NOTHING && worker->asked && !worker->has_nothing) {
            worker->has_nothing = true;
            coordinator->silent++;
        }
    }
    if (in.failed)
        message_is_wrong(coordinator, number);
    arena_reset(&coordinator->scratch);
    hand_out(coordinator);
    arena_reset(&coordinator->scratch);
}

static void idle_remove(struct coordinator *coordinator, uint32_t number)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < coordinator->idle.count; i++)
        if (coordinator->idle.at[i] != number)
            coordinator->idle.at[kept++] = coordinator->idle.at[i];
    coordinator->idle.count = kept;
}

void coordinator_lost(struct coordinator *coordinator, uint32_t number)
{
    struct coordinator_worker *worker = &coordinator->workers.at[number];
    struct work *rest = NULL;

    if (!worker->here)
        return;
    asked_end(coordinator, worker);
    worker->here = worker->tells = false;
    if (!coordinator->stopped)
        worker->ahead = (struct explorer_stats){0};
    if (worker->twig) {
        rest = coordinator_rest(coordinator, number);
        if (rest && worker->rest_arena.base) { /* it outlives the worker that told it */
            vec_push(coordinator->arena, &coordinator->rests, worker->rest_arena);
            worker->rest_arena = (struct arena){0};
        }
        twig_return(&coordinator->twigs, worker->twig, rest);
        coordinator->busy--;
    } else {
        idle_remove(coordinator, number);
    }
    worker->twig = NULL;
    worker->rest = NULL;
    hand_out(coordinator);
    arena_reset(&coordinator->scratch);
}

void coordinator_stop(struct coordinator *coordinator)
{
    coordinator->stopped = true;
}

void coordinator_dismiss(struct coordinator *coordinator)
{
    coordinator->dismissed = true;
    for (uint32_t i = 0; i < coordinator->workers.count; i++)
        if (coordinator->workers.at[i].here)
            message_to(coordinator, i, MESSAGE_STOP);
}

void coordinator_ask_stats(struct coordinator *coordinator)
{
    for (uint32_t i = 0; i < coordinator->workers.count; i++)
        if (coordinator->workers.at[i].here && coordinator->workers.at[i].twig)
            message_to(coordinator, i, MESSAGE_STATS);
}

void coordinator_ask_rest(struct coordinator *coordinator)
{
    for (uint32_t i = 0; i < coordinator->workers.count; i++) {
        struct coordinator_worker *worker = &coordinator->workers.at[i];

        worker->tells = worker->here && worker->twig;
        if (worker->tells)
            message_to(coordinator, i, MESSAGE_TELL);
    }
}

bool coordinator_has_rest(const struct coordinator *coordinator)
{
    for (uint32_t i = 0; i < coordinator->workers.count; i++)
        if (coordinator->workers.at[i].twig && coordinator->workers.at[i].tells)
            return false;
    return true;
}

bool coordinator_is_done(const struct coordinator *coordinator)
{
    return coordinator->twigs.root->open == 0;
}

struct explorer_stats coordinator_stats(const struct coordinator *coordinator)
{
    struct explorer_stats stats = coordinator->stats;

    for (uint32_t i = 0; i < coordinator->workers.count; i++) {
        const struct explorer_stats *ahead = &coordinator->workers.at[i].ahead;

        stats.executions += ahead->executions;
        stats.asleep += ahead->asleep;
        stats.assumes += ahead->assumes;
        stats.transitions += ahead->transitions;
        stats.replayed += ahead->replayed;
        stats.cut |= ahead->cut;
        stats.states.states += ahead->states.states;
        stats.states.revisited += ahead->states.revisited;
        stats.states.cycles += ahead->states.cycles;
        stats.states.untold += ahead->states.untold;
        stats.symmetry.checks += ahead->symmetry.checks;
        stats.symmetry.found += ahead->symmetry.found;
        stats.symmetry.saved += ahead->symmetry.saved;
        stats.max_depth = ahead->max_depth > stats.max_depth ? ahead->max_depth : stats.max_depth;
        stats.max_bytes = ahead->max_bytes > stats.max_bytes ? ahead->max_bytes : stats.max_bytes;
    }
    return stats;
}
