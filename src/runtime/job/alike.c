#include "runtime/job/alike.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/core/heap.h"
#include "runtime/ending/ending.h"
#include "runtime/job/fingerprint.h"
#include "runtime/signals/signals.h"

/* Two threads that are compared. */
struct pair {
    const struct native_thread *a, *b;
    bool past; /* they have done something: see alike.h */
};

static char difference[300]; /* outlives a run: in words, good until the next comparison */

static bool differs(const char **reason, const char *what)
{
    *reason = what;
    return false;
}

/* ---- addresses that are a thread's own */

/* The address that takes the place of `at` when the two change places, if it is one of `from`. */
static bool moved(const struct native_thread *from, const struct native_thread *to, uint64_t at,
                  uint64_t *there)
{
    uint64_t low = (uint64_t)(uintptr_t)from->stack.low;

    if (at >= low && at < low + from->stack.size) {
        *there = at - low + (uint64_t)(uintptr_t)to->stack.low;
        return true;
    }
    if (at - heap_of(from->number) < HEAP_ARENA_SPACE) {
        *there = at - heap_of(from->number) + heap_of(to->number);
        return true;
    }
    return false;
}

/* Whether `y` is for the second what `x` is for the first. */
static bool words_agree(const struct pair *pair, uint64_t x, uint64_t y)
{
    uint64_t there;

    if (moved(pair->a, pair->b, x, &there) || moved(pair->b, pair->a, x, &there))
        return y == there;
    return x == y;
}

/* The same of memory at addresses of the same alignment. Bytes that are no whole word are no pointers. */
static bool memory_agrees(void *context, const char *x, const char *y, size_t size)
{
    size_t odd = -(uintptr_t)x % sizeof(uint64_t);

    if (odd > size)
        odd = size;
    if (memcmp(x, y, odd) != 0)
        return false;
    for (; size - odd >= sizeof(uint64_t); odd += sizeof(uint64_t)) {
        uint64_t here, there;

        memcpy(&here, x + odd, sizeof here);
        memcpy(&there, y + odd, sizeof there);
        if (!words_agree(context, here, there))
            return false;
    }
    return memcmp(x + odd, y + odd, size - odd) == 0;
}

/* ---- frames */

static bool live_agrees(struct pair *pair, const struct raddle_frame *x,
                        const struct raddle_frame *y, uint32_t i)
{
    const struct raddle_live *p = &x->site->live[i], *q = &y->site->live[i];
    uint64_t here = x->slots[p->slot], there = y->slots[q->slot];
    uint64_t size = p->size ? p->size : x->slots[p->slot + 1];

    if (p->in_memory != q->in_memory || p->size != q->size)
        return false;
    if (!p->in_memory)
        return words_agree(pair, here, there) &&
               (p->size <= 8 || x->slots[p->slot + 1] == y->slots[q->slot + 1]);
    if (!pair->past && (!p->size || p->size > HOOK_CLEARED_MAX)) /* see alike.h */
        return words_agree(pair, here, there);
    return words_agree(pair, here, there) && (here - there) % sizeof(uint64_t) == 0 &&
           (p->size || size == y->slots[q->slot + 1]) &&
           memory_agrees(pair, (const char *)(uintptr_t)here, (const char *)(uintptr_t)there, size);
}

/* Whether the same code is left to run: the same place, or a place in another function that means the same. */
static bool codes_agree(const struct raddle_site *x, const struct raddle_site *y)
{
    return x == y || (x->residual && x->residual == y->residual && x->flags == y->flags &&
                      x->live_count == y->live_count);
}

static bool tell_code(const char **reason, const struct raddle_site *x, const struct raddle_site *y)
{
    snprintf(difference, sizeof difference,
             "the one is in %s (%s:%u), the other in %s (%s:%u), with other code ahead of it",
             x->function, x->file, x->line, y->function, y->file, y->line);
    return differs(reason, difference);
}

/* As a number, if it is a small one. */
static bool value_of(const struct raddle_frame *frame, uint32_t i, int64_t *value)
{
    const struct raddle_live *live = &frame->site->live[i];

    *value = 0;
    if (live->size == 0 || live->size > sizeof *value || live->is_pointer)
        return false;
    memcpy(value,
           live->in_memory ? (const void *)(uintptr_t)frame->slots[live->slot]
                           : &frame->slots[live->slot],
           live->size);
    if (live->size == sizeof(int32_t))
        *value = (int32_t)*value;
    return true;
}

static bool tell_value(const char **reason, const struct raddle_frame *x,
                       const struct raddle_frame *y, uint32_t i)
{
    const struct raddle_site *site = x->site;
    const char *name = site->live[i].name ? site->live[i].name : "a value";
    int64_t here, there;

    if (value_of(x, i, &here) && value_of(y, i, &there))
        snprintf(difference, sizeof difference,
                 "%s in %s (%s:%u) is still needed, and is %" PRId64 " in the one and %" PRId64
                 " in the other",
                 name, site->function, site->file, site->line, here, there);
    else
        snprintf(difference, sizeof difference, "%s in %s (%s:%u) is still needed, and differs",
                 name, site->function, site->file, site->line);
    return differs(reason, difference);
}

static bool frames_agree(struct pair *pair, const char **reason)
{
    const struct raddle_frame *x = pair->a->frames, *y = pair->b->frames;

    for (; x && y; x = x->up, y = y->up) {
        if (!codes_agree(x->site, y->site))
            return tell_code(reason, x->site, y->site);
        for (uint32_t i = 0; i < x->site->live_count; i++)
            if (!live_agrees(pair, x, y, i))
                return tell_value(reason, x, y, i);
    }
    return x == y || differs(reason, "they are inside of a different number of functions");
}

static bool stacks_agree(struct pair *pair, const struct op *x, const struct op *y,
                         const char **reason)
{
    const char *here = pair->a->fiber.sp, *there = pair->b->fiber.sp;
    const char *here_end = fingerprint_bytes_end(pair->a, x);
    const char *there_end = fingerprint_bytes_end(pair->b, y);
    uint64_t floats_here, floats_there;

    if (!here_end || !there_end || here_end - here != there_end - there)
        return differs(reason, "code that is not seen runs in one of them");
    memcpy(&floats_here, here, sizeof floats_here); /* as fiber_switch leaves them there */
    memcpy(&floats_there, there, sizeof floats_there);
    if (floats_here << 16 != floats_there << 16)
        return differs(reason, "they round numbers in different ways");
    if (!memory_agrees(pair, here, there, (size_t)(here_end - here)))
        return differs(reason, "what code that is not seen has on their stacks differs");
    /* where bytes go up to the end, frames among them are told by these */
    return here_end == native_stack_end(pair->a) || frames_agree(pair, reason);
}

/* ---- what else is a thread's own */

static bool variables_agree(struct pair *pair)
{
    const char *x = pair->a->fiber.pointer, *y = pair->b->fiber.pointer;
    ptrdiff_t error = fingerprint_errno();
    size_t below = tls.below, first;

    if (pair->a->error != pair->b->error)
        return false;
    if (error >= 0 || error < -(ptrdiff_t)below)
        return memory_agrees(pair, x - below, y - below, below);
    first = (size_t)(error + (ptrdiff_t)below);
    error += (ptrdiff_t)sizeof(int);
    return memory_agrees(pair, x - below, y - below, first) &&
           memory_agrees(pair, x + error, y + error, (size_t)-error);
}

/* ---- whether others know where something of the two is

 * Any eight aligned bytes with an address in the stack of one of them, thread-local memory included, count as knowledge of it: in the program's variables, what other threads have, live blocks, and stores that
 * wait. Nobody may access that memory, which would show (native_share_stack), but an address may also say who somebody is. */

#define LOOKED_MAX ((size_t)16 << 20) /* bytes; beyond, they may be known */

static struct {
    const struct pair *pair;
    size_t left;
    bool known;
} looked; /* outlives a run: of one comparison */

static bool is_own(uint64_t word)
{
    return word - (uint64_t)(uintptr_t)looked.pair->a->stack.low < looked.pair->a->stack.size ||
           word - (uint64_t)(uintptr_t)looked.pair->b->stack.low < looked.pair->b->stack.size;
}

static void word_is_known(uint64_t word)
{
    looked.known |= is_own(word);
}

static void memory_is_known(const void *start, size_t size)
{
    const char *at = (const char *)(((uintptr_t)start + 7) & ~(uintptr_t)7);
    const char *end = (const char *)start + size;
    uint64_t word;

    if (is_own((uint64_t)(uintptr_t)start))
        return; /* thread-local variables of all threads are among those of the program */
    looked.known |= size > looked.left;
    looked.left -= size > looked.left ? looked.left : size;
    for (; !looked.known && end - at >= (ptrdiff_t)sizeof word; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        word_is_known(word);
    }
}

static void block_is_known(void *context, const struct heap_block *block)
{
    (void)context;
    memory_is_known(block->start, block->size);
}

static void stores_are_known(const struct world *world)
{
    for (uint32_t i = 0; i < world->active.count; i++) {
        const struct buffer *buffer = &world->buffers.at[world->active.at[i]];

        if (!world->agents.at[world->active.at[i]].is_buffer)
            continue;
        for (uint32_t k = buffer->head; k < buffer->stores.count; k++)
            word_is_known((uint64_t)buffer->stores.at[k].value);
    }
}

static bool are_known(const struct pair *pair, const struct world *world)
{
    struct fingerprint unused = {0};

    looked.pair = pair;
    looked.left = LOOKED_MAX;
    looked.known = !mappings_part.fingerprint(&unused); /* memory that is not looked through */
    stores_are_known(world);
    for (uint32_t i = 0; !looked.known && i < native.threads.count; i++)
        if (native.threads.at[i] != pair->a && native.threads.at[i] != pair->b)
            native_each_of_thread(native.threads.at[i], NULL, memory_is_known);
    if (!looked.known)
        native_each_variable(memory_is_known);
    if (!looked.known)
        heap_each_live(block_is_known, NULL);
    return looked.known;
}

/* Who has done something may have told others where its blocks are. */
static bool blocks_agree(struct pair *pair)
{
    if (pair->past)
        return !heap_has_live(pair->a->number) && !heap_has_live(pair->b->number);
    return heap_corresponds(pair->a->number, pair->b->number, memory_agrees, pair);
}

static bool are_simple(const struct native_thread *thread)
{
    return thread->start && !thread->stack_shared && !thread->sections && !thread->handlers &&
           !thread->leaves && !fingerprint_throws(thread) && !native_is_singled_out(thread->number);
}

static struct pair pair_of(const struct world *world, agent_id a, agent_id b)
{
    return (struct pair){.a = native.threads.at[world->agents.at[a].key],
                         .b = native.threads.at[world->agents.at[b].key]};
}

bool alike_now(struct target *target, struct world *world, agent_id a, agent_id b, bool past,
               const char **reason)
{
    struct pair pair = pair_of(world, a, b);
    const char *what;

    (void)target;
    pair.past = past;
    *reason = NULL;
    if (signals_sent || native.session->cancels)
        return differs(reason, "the program sends signals, or asks threads to end");
    if (!are_simple(pair.a) || !are_simple(pair.b))
        return differs(reason,
                       "one of them has asked who it is, or others use its handle or stack");
    if (pair.a->stack.size != pair.b->stack.size || pair.a->children || pair.b->children)
        return differs(reason, "one of them has threads of its own, or another stack");
    if (!stacks_agree(&pair, &world->threads.at[a].pending, &world->threads.at[b].pending, reason))
        return false;
    if (!variables_agree(&pair))
        return differs(reason, "their thread-local variables differ");
    if (!blocks_agree(&pair))
        return differs(reason, past ? "one of them has allocated memory, and others may know it"
                                    : "memory that they have allocated differs");
    what = parts_differ(pair.a, pair.b);
    if (!what)
        return !past || !are_known(&pair, world) ||
               differs(reason, "others may know an address in the stack of one of them");
    snprintf(difference, sizeof difference, "they differ in what raddle keeps for them: %s", what);
    return differs(reason, difference);
}

bool alike_at_first(struct target *target, struct world *world, agent_id a, agent_id b)
{
    struct pair pair = pair_of(world, a, b);

    (void)target;
    return pair.a->start && pair.a->start == pair.b->start &&
           pair.a->argument == pair.b->argument && !pair.a->asked_others && !pair.b->asked_others;
}

/* ---- for people */

static bool is_running(uint32_t number)
{
    const struct native_thread *thread =
        number < native.threads.count ? native.threads.at[number] : NULL;

    return thread && thread->agent != AGENT_NONE &&
           native.world->threads.at[thread->agent].status == THREAD_RUNNING;
}

void alike_note(void)
{
    struct session *session = native.session;
    struct symmetry *symmetry = &session->explorer.symmetry;
    const char *reason = "one of them does not run";

    if (is_running(session->compared[0]) && is_running(session->compared[1])) {
        agent_id a = native.threads.at[session->compared[0]]->agent;
        agent_id b = native.threads.at[session->compared[1]]->agent;

        reason = symmetry_pair(symmetry, a, b, false) || symmetry_pair(symmetry, a, b, true)
                     ? NULL
                     : symmetry->reason;
    }
    vec_push(&session->arena, &session->differences, reason ? native_text(reason) : NULL);
}
