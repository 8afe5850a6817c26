#include "runtime/program/rounds.h"

#include <string.h>

#include "model/op.h"
#include "runtime/program/spin.h"

/* ---- what a thread does */

void rounds_change(void)
{
    struct rounds *rounds = rounds_of(native.current);

    rounds->changes++;
    rounds->source.valid = false;
}

void rounds_read(uint8_t object, uint64_t addr, uint8_t size, uint64_t value)
{
    struct rounds *rounds = rounds_of(native.current);
    uint64_t at = rounds->reads++ % AWAIT_MAX;

    rounds->log.reads[at].object = object;
    rounds->log.reads[at].addr = addr;
    rounds->log.reads[at].size = size;
    rounds->log.reads[at].value = value;
    rounds->source.last = false;
}

static bool order_is_acquire(uint8_t order)
{
    return order == ORDER_ACQUIRE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}

void rounds_source(const struct op *op, uint64_t value)
{
    struct rounds *rounds = rounds_of(native.current);
    const struct raddle_site *site = (const struct raddle_site *)(uintptr_t)op->site;
    bool exchange = op->kind == OP_CAS;

    if (!site || !(site->flags & SITE_SOURCE))
        return;
    rounds->source =
        (struct rounds_source){.valid = true,
                               .last = (site->flags & SITE_FREE) != 0,
                               .acquires = order_is_acquire(exchange ? op->variant : op->order),
                               .addr = op->addr,
                               .value = value,
                               .size = op->size,
                               .number = rounds->reads};
}

void rounds_between(void)
{
    rounds_of(native.current)->source.last = false;
}

/* ---- data races: docs/reductions.md. A race of an access in a round that is left out needs no run of its own, unless whoever does the other access has
 * learnt of what the thread did later, and is not ordered behind it. So when that happens in a program, rounds with plain reads are made in full, and all are
 * if plain memory is written anywhere where a round that was left out has read. */

static bool is_searching(void)
{
    return native.session->job == SESSION_EXPLORE || native.session->job == SESSION_RESUME;
}

static bool is_on(void)
{
    return native.session->rounds.on && !native.session->rounds.off && !native.world->every_round;
}

static void rounds_end(void)
{
    struct session_rounds *rounds = &native.session->rounds;

    if (rounds->off || !is_searching())
        return;
    rounds->off = true;
    native.session->begin_anew |= rounds->cut;
}

static uint64_t granule_bit(uint64_t granule, uint32_t *word)
{
    uint64_t hash = mix64(granule);

    *word = (uint32_t)(hash >> 6) % ROUNDS_WORDS;
    return (uint64_t)1 << (hash & 63);
}

/* The bytes are now in `set`; if they are in the other one, too, a race may have been left out. */
static void granules_add(uint64_t *set, const uint64_t *other, uint64_t addr, size_t size)
{
    for (uint64_t g = addr / HOOK_GRANULE; g <= (addr + size - 1) / HOOK_GRANULE; g++) {
        uint32_t word;
        uint64_t bit = granule_bit(g, &word);

        set[word] |= bit;
        if (other[word] & bit && native.session->rounds.informal)
            rounds_end();
    }
}

static bool sets_meet(const struct session_rounds *rounds)
{
    for (uint32_t i = 0; i < ROUNDS_WORDS; i++)
        if (rounds->read[i] & rounds->written[i])
            return true;
    return false;
}

void rounds_informal(void)
{
    struct session_rounds *rounds = &native.session->rounds;

    if (rounds->informal || !native.detects || !rounds->on || !is_searching())
        return;
    rounds->informal = true;
    native.session->begin_anew |= rounds->cut_plain;
    if (sets_meet(rounds))
        rounds_end();
}

void rounds_plain_read(void)
{
    rounds_of(native.current)->plains++;
}

/* Larger than any object that is also used by atomic operations: then all memory may be meant. */
#define WRITE_MAX 65536u

/* Ranges that this process has added: nothing is ever taken out again, so to add one twice changes nothing, and a buffer that each run fills
 * takes long to add. What is read later is held against what is written when it is added itself. */
#define WRITES_KEPT 256u
#define WRITE_SMALL 64u /* bytes that cost no more to add than to find here */

static struct {
    uint64_t addr, size;
} writes_kept[WRITES_KEPT]; /* outlives a run: it is about the search */

/* Other processes of a search add what they read when they are done with it, so there all are looked at. */
static bool is_added(uint64_t addr, size_t size)
{
    uint32_t slot = (uint32_t)(mix64(addr ^ size) % WRITES_KEPT);

    if (size <= WRITE_SMALL || native.session->work_fd)
        return false;
    if (writes_kept[slot].addr == addr && writes_kept[slot].size == size)
        return true;
    writes_kept[slot].addr = addr;
    writes_kept[slot].size = size;
    return false;
}

void rounds_plain_write(uint64_t addr, size_t size)
{
    struct session_rounds *rounds = &native.session->rounds;

    if (!is_on() || size == 0 || is_added(addr, size))
        return;
    if (size <= WRITE_MAX)
        granules_add(rounds->written, rounds->read, addr, size);
    else
        memset(rounds->written, 0xff, sizeof rounds->written);
}

/* ---- heads */

/* What is in large variables is not looked at each time: then the loop is not looked at. */
static bool is_small(const struct raddle_site *site)
{
    for (uint32_t i = 0; i < site->live_count; i++)
        if (site->live[i].in_memory &&
            (site->live[i].size == 0 || site->live[i].size > HOOK_CLEARED_MAX))
            return false;
    return true;
}

/* An address in the thread's own stack by where it is there, so that threads can be compared. */
static void rounds_word(uint64_t word, struct fingerprint *into)
{
    uint64_t offset = word - (uint64_t)(uintptr_t)native.current->stack.low;

    if (offset < native.current->stack.size)
        fingerprint_word(into, UINT64_MAX);
    fingerprint_word(into, offset < native.current->stack.size ? offset : word);
}

static void rounds_memory(const char *at, size_t size, struct fingerprint *into)
{
    uint64_t word;

    for (; size >= sizeof word && (uintptr_t)at % sizeof word == 0;
         at += sizeof word, size -= sizeof word) {
        memcpy(&word, at, sizeof word);
        rounds_word(word, into);
    }
    if (size > 0)
        fingerprint_bytes(into, at, size);
}

static void live_value(const struct raddle_frame *frame, const struct raddle_live *live,
                       struct fingerprint *into)
{
    uint64_t slot = frame->slots[live->slot];

    if (live->in_memory)
        rounds_memory((const char *)(uintptr_t)slot, live->size, into);
    else if (live->size > 8)
        fingerprint_bytes(into, &frame->slots[live->slot], 16);
    else
        rounds_word(slot, into);
}

/* How the thread is here. False if a value that should be fresh is not that of the last source. */
static bool place_make(struct rounds_place *place, const struct rounds *rounds,
                       const struct raddle_site *site)
{
    const char *variables_end = __builtin_thread_pointer();
    bool fresh = rounds->source.valid;

    *place = (struct rounds_place){.frame = __raddle_frames,
                                   .site = site,
                                   .source = rounds->source,
                                   .changes = rounds->changes,
                                   .reads = rounds->reads,
                                   .plains = rounds->plains};
    for (uint32_t i = 0; i < site->live_count; i++) {
        const struct raddle_live *live = &site->live[i];

        live_value(place->frame, live, live->fresh ? &place->fresh : &place->state);
        if (live->fresh)
            fresh = fresh && cell_cut(place->frame->slots[live->slot], rounds->source.size) ==
                                 cell_cut(rounds->source.value, rounds->source.size);
    }
    rounds_memory(variables_end - tls.below, tls.below, &place->state);
    return fresh;
}

/* Whether the run in which the source of `then` is read when that of `now` was, and nothing between, is the same from here on. The former must be free to do
 * that, and be the last thing before the head. And it must not order more. */
static bool source_is_later(const struct rounds_place *then, const struct rounds_place *now)
{
    const struct rounds_source *a = &then->source, *b = &now->source;

    return a->valid && a->last && b->valid && b->number > then->reads && a->addr == b->addr &&
           a->size == b->size && (!a->acquires || b->acquires);
}

/* Whether nothing has changed since `then`, as far as the thread has gone. */
static bool nothing_changed(const struct rounds_place *then, const struct rounds_place *now)
{
    return then->changes == now->changes && now->reads - then->reads <= AWAIT_MAX &&
           fingerprint_equal(then->state, now->state) &&
           !(native.session->rounds.informal && then->plains != now->plains);
}

/* Whether the thread has gone round since then and nothing came of it; *again if it would do the very same as long as nothing changes. */
static bool nothing_came(const struct rounds_place *then, const struct rounds_place *now,
                         bool fresh, bool *again)
{
    if (now->reads == then->reads || !nothing_changed(then, now))
        return false;
    *again = fingerprint_equal(then->fresh, now->fresh);
    return *again || (fresh && source_is_later(then, now));
}

static void waits_add(struct rounds *rounds, uint8_t object, uint64_t addr, uint8_t size,
                      uint64_t value)
{
    struct session_rounds *all = &native.session->rounds;
    uint32_t at = rounds->waits.count++;

    rounds->waits.reads[at].object = object;
    rounds->waits.reads[at].addr = addr;
    rounds->waits.reads[at].size = size;
    rounds->waits.reads[at].value = value;
    if (native.detects && object == OBJECT_CELL)
        granules_add(all->read, all->written, addr, size);
}

/* What it has read since then. */
static void waits_begin(struct rounds *rounds, const struct rounds_place *then)
{
    rounds->waits.count = 0;
    for (uint64_t n = then->reads; n < rounds->reads; n++)
        waits_add(rounds, rounds->log.reads[n % AWAIT_MAX].object,
                  rounds->log.reads[n % AWAIT_MAX].addr, rounds->log.reads[n % AWAIT_MAX].size,
                  rounds->log.reads[n % AWAIT_MAX].value);
}

/* A round is left out. */
static void rounds_left_out(const struct rounds *rounds, const struct rounds_place *then)
{
    native.session->rounds.cut = true;
    native.session->rounds.cut_plain |= then->plains != rounds->plains;
}

/* The thread goes no further in this run. It comes back only from a loop that is being tried out (probe.h). */
static void round_stop(struct rounds *rounds, const struct rounds_place *then,
                       enum await_round round)
{
    struct op op = native_op(OP_AWAIT, &rounds->waits);

    rounds_left_out(rounds, then);
    op.value = round;
    native_hand_over(&op);
}

/* The place of that head in the loops that the thread is in; those inside of it are over. NULL: it has not been there. */
static struct rounds_place *place_find(struct rounds *rounds, const struct raddle_site *site)
{
    for (uint32_t i = rounds->depth; i-- > 0;)
        if (rounds->at[i].frame == __raddle_frames && rounds->at[i].site == site) {
            rounds->depth = i + 1;
            return &rounds->at[i];
        }
    return NULL;
}

static struct rounds_place *place_add(struct rounds *rounds)
{
    if (rounds->depth == ROUNDS_DEPTH)
        memmove(rounds->at, rounds->at + 1, (--rounds->depth) * sizeof *rounds->at);
    return &rounds->at[rounds->depth++];
}

void rounds_head(bool again, const struct raddle_site *site)
{
    struct rounds *rounds = rounds_of(native.current);
    struct rounds_place *now = &rounds->now, *then;
    bool fresh, same;

    if (!is_on() || !(site->flags & SITE_LIVE) || native.current->sections ||
        native.current->handlers || !is_small(site))
        return;
    spin_settle();
    then = place_find(rounds, site);
    fresh = place_make(now, rounds, site);
    if (then && again && nothing_came(then, now, fresh, &same)) {
        waits_begin(rounds, then);
        round_stop(rounds, then, same ? AWAIT_ROUND_AGAIN : AWAIT_ROUND_FRESH);
    }
    if (!fresh)
        now->source.valid = false;
    *(then ? then : place_add(rounds)) = *now;
}

static bool has_fresh(const struct raddle_site *head)
{
    for (uint32_t i = 0; i < head->live_count; i++)
        if (head->live[i].fresh)
            return true;
    return false;
}

/* Whether what was read before the loop could as well be what is read now. */
static bool source_stands_for(const struct rounds_source *source, const struct rounds_read *read)
{
    return source->valid && source->last && source->addr == read->addr &&
           source->size == read->size && (!source->acquires || order_is_acquire(read->order));
}

/* It would do the very same again if what it is about to read is what it has read before. */
void rounds_turn(const struct rounds_read *read, const struct raddle_site *exchange,
                 const struct raddle_site *head)
{
    struct rounds *rounds = rounds_of(native.current);
    struct rounds_place *now = &rounds->now, *then;
    bool fresh = has_fresh(head);

    rounds->retry = NULL;
    if (!is_on() || native.current->sections || native.current->handlers ||
        native.current->way != native_hand_over || spin_of(native.current)->probe.on)
        return;
    spin_settle();
    then = place_find(rounds, head);
    place_make(now, rounds, head);
    if (!then || !nothing_changed(then, now) || now->reads - then->reads == AWAIT_MAX ||
        (fresh && !source_stands_for(&then->source, read)))
        return;
    waits_begin(rounds, then);
    if (fresh)
        waits_add(rounds, OBJECT_CELL, read->addr, read->size, then->source.value);
    if (!exchange) {
        round_stop(rounds, then, AWAIT_ROUND_AGAIN);
        return;
    }
    rounds_left_out(rounds, then);
    rounds->retry = exchange;
}

const struct await *rounds_retry(const struct raddle_site *site)
{
    struct rounds *rounds = rounds_of(native.current);
    bool waits = rounds->retry == site && site;

    rounds->retry = NULL;
    return waits ? &rounds->waits : NULL;
}

/* ---- the part */

static void thread_begins(struct native_thread *thread)
{
    struct rounds *rounds = rounds_of(thread);

    rounds->depth = 0;
    rounds->retry = NULL;
    rounds->changes = rounds->reads = rounds->plains = 0;
    rounds->source = (struct rounds_source){0};
}

static void source_add(const struct rounds_source *source, struct fingerprint *into)
{
    fingerprint_word(into, (uint64_t)source->valid | (uint64_t)source->last << 1 |
                               (uint64_t)source->acquires << 2 | (uint64_t)source->size << 8);
    if (!source->valid)
        return;
    fingerprint_word(into, source->addr);
    fingerprint_word(into, source->value);
}

/* What decides whether the thread stops at the next head: where it was in a round that has not changed anything so far, and what it has read there. */
static bool rounds_fingerprint(const struct native_thread *thread, struct fingerprint *into)
{
    const struct rounds *rounds = rounds_of(thread);

    source_add(&rounds->source, into);
    for (uint32_t i = 0; i < rounds->depth; i++) {
        const struct rounds_place *place = &rounds->at[i];
        uint64_t reads = rounds->reads - place->reads;

        if (place->changes != rounds->changes || reads > AWAIT_MAX)
            continue;
        fingerprint_word(into, (uint64_t)(uintptr_t)place->site);
        /* where in its stack, so that threads can be compared */
        fingerprint_word(into, (uint64_t)(native_stack_end(thread) - (const char *)place->frame));
        fingerprint_bytes(into, &place->state, sizeof place->state);
        fingerprint_bytes(into, &place->fresh, sizeof place->fresh);
        source_add(&place->source, into);
        fingerprint_word(into, reads << 2 | (uint64_t)(rounds->source.number > place->reads) << 1 |
                                   (rounds->plains != place->plains));
        for (uint64_t n = place->reads; n < rounds->reads; n++) {
            fingerprint_word(into, rounds->log.reads[n % AWAIT_MAX].addr);
            fingerprint_word(into, rounds->log.reads[n % AWAIT_MAX].value);
        }
    }
    return true;
}

const struct part rounds_part = {.name = "rounds",
                                 .thread_size = sizeof(struct rounds),
                                 .thread_begins = thread_begins,
                                 .stateless = true,
                                 .fingerprint_thread = rounds_fingerprint};
