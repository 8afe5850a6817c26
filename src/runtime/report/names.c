#include "runtime/report/names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mangled.h"
#include "base/place.h"
#include "base/text.h"
#include "model/await.h"
#include "model/channel.h"
#include "model/object.h"
#include "model/order.h"
#include "runtime/core/heap.h"
#include "runtime/core/symbols.h"
#include "runtime/report/source.h"

#define FRAMES_MAX 200 /* that are looked at */

struct names_tellers names_tellers; /* outlives a run: set once */

static const void *futex_word(uint64_t semaphore)
{
    return names_tellers.futex_word ? names_tellers.futex_word(semaphore) : NULL;
}

static void add_site(struct text *t, const char *before, const struct raddle_site *site)
{
    const char *name;

    if (!site || !site->file)
        return;
    name = strrchr(site->file, '/');
    text_add(t, " %s %s", before, name ? name + 1 : site->file);
    if (site->line)
        text_add(t, ":%" PRIu32, site->line);
}

static bool is_of_system(const struct raddle_site *site)
{
    return site && place_is_of_system(site->file, site->function, site->line);
}

static const struct raddle_site *op_site(const struct op *op)
{
    return (const struct raddle_site *)(uintptr_t)op->site;
}

static void add_block(struct text *t, const struct heap_block *block)
{
    text_add(t, "heap block %" PRIu32 " of ", block->rank);
    if (block->thread == HEAP_INITIAL)
        text_add(t, "the start");
    else
        text_add(t, "T%" PRIu32, block->thread);
}

static bool add_heap(struct text *t, uint64_t addr)
{
    const struct heap_block *block = heap_find((const void *)(uintptr_t)addr);
    const struct raddle_site *made = block ? block->alloc_site : NULL;
    uint64_t offset;

    if (!block)
        return false;
    offset = addr - (uint64_t)(uintptr_t)block->start;
    add_block(t, block);
    if (made && !made->line && made->function)
        text_add(t, " from %s()", made->function);
    else
        add_site(t, "from", made);
    if (offset)
        text_add(t, "+%" PRIu64, offset);
    return true;
}

static bool add_symbol(struct text *t, uint64_t addr)
{
    uint64_t offset;
    const char *name = symbols_find(addr, &offset);
    char buffer[200];

    if (!name)
        return false;
    text_add(t, "%s", mangled_name(name, buffer, sizeof buffer));
    if (offset)
        text_add(t, "+%" PRIu64, offset);
    return true;
}

static void add_address(struct text *t, uint64_t addr, unsigned bytes,
                        const struct raddle_site *site)
{
    uint32_t thread;

    if (source_name(t, addr, bytes, site, NULL) || add_heap(t, addr) || add_symbol(t, addr))
        return;
    if (native_owner((void *)(uintptr_t)addr, &thread) == STACK_INSIDE)
        text_add(t, "stack of T%" PRIu32 " (%#" PRIx64 ")", thread, addr);
    else
        text_add(t, "%#" PRIx64, addr);
}

static void add_channel(struct text *t, uint64_t name)
{
    char words[256];

    if (names_tellers.channel && names_tellers.channel(name, words, sizeof words))
        text_add(t, "%s", words);
    else
        text_add(t, "channel %#" PRIx64, name);
}

/* A spinlock that is given back, in memory at last. */
static bool is_unlock_flush(const struct op *op)
{
    return op->kind == OP_FLUSH && op->variant != OBJECT_NONE;
}

/* A site may know what a variable is called where the address says nothing: a thread-local one, or without -g. */
static bool add_what(struct text *t, const struct op *op)
{
    const struct raddle_site *site = op_site(op);
    uint64_t offset;

    if (!site || !site->what || op_infos[op->kind].object != OBJECT_CELL || is_unlock_flush(op))
        return false;
    /* a part of it is not the whole; and what a pointer points to may be here, and elsewhere later */
    if (site->what[0] == '*' || (symbols_find(op->addr, &offset) && offset))
        return false;
    text_add(t, "%s", site->what);
    return true;
}

/* What the source calls it, else what the address is. */
static void add_object(struct text *t, const struct op *op)
{
    const struct raddle_site *site = op_site(op);
    uint8_t kind = op_infos[op->kind].object;
    unsigned bytes = kind == OBJECT_CELL ? op->size : 1; /* of a lock, the first member, too */

    if (kind == OBJECT_NONE || kind == OBJECT_THREAD)
        return;
    if (kind == OBJECT_CHANNEL)
        add_channel(t, op->addr);
    else if (!source_name(t, op->addr, bytes, site, NULL) && !add_what(t, op))
        add_address(t, op->addr, bytes, site);
}

static uint32_t thread_number(agent_id agent)
{
    const struct world *world = native.world;

    return (uint32_t)world->agents.at[world->agents.at[agent].thread].key;
}

/* "T1 (worker)", where no lane has its name above it. */
static void add_thread(struct text *t, agent_id agent)
{
    native_thread_words(t, thread_number(agent));
}

static int64_t as_signed(cell_value value, unsigned size)
{
    unsigned unused = 64 - 8 * (size && size < 8 ? size : 8);

    return (int64_t)((uint64_t)value << unused) >> unused;
}

/* The type of the memory that an operation is about, or NULL. */
static const struct raddle_type *op_type(const struct op *op)
{
    const struct raddle_type *type = NULL;
    char name[256];
    struct text unused = text_open(name, sizeof name);

    if (op_infos[op->kind].object == OBJECT_CELL)
        source_name(&unused, op->addr, op->size, op_site(op), &type);
    return type;
}

/* A pthread_t: the thread that it stands for. */
static bool add_handle(struct text *t, uint64_t value)
{
    const struct native_thread *thread = native_thread_to_join(value);

    if (thread)
        text_add(t, "T%" PRIu32, thread->number);
    return thread != NULL;
}

/* A number as C programs mean it; one that can only be an address as what it points to. */
static void add_value(struct text *t, cell_value value, const struct op *op)
{
    unsigned size = op->size;
    int64_t number = as_signed(value, size);
    const struct heap_block *block;
    char buffer[200];
    const char *name;
    uint64_t offset;

    if (source_value(t, op_type(op), (uint64_t)value))
        return;
    if (size == 8 && add_handle(t, (uint64_t)value))
        return;
    if (size < 8 || (number <= INT32_MAX && number >= INT32_MIN))
        text_add(t, "%" PRId64, number);
    else if (source_pointer(t, (uint64_t)value))
        return;
    else if ((block = heap_find((const void *)(uintptr_t)value)) &&
             (uint64_t)value == (uint64_t)(uintptr_t)block->start)
        add_block(t, block);
    else if ((name = symbols_find((uint64_t)value, &offset)) && !offset)
        text_add(t, "&%s", mangled_name(name, buffer, sizeof buffer));
    else
        text_add(t, "0x%" PRIx64, (uint64_t)value);
}

static void add_awaited(struct text *t, const struct op *op)
{
    const struct await *await = (const struct await *)(uintptr_t)op->addr;

    text_add(t, "a change of ");
    for (uint32_t i = 0; i < await->count; i++) {
        text_add(t, "%s", i ? ", " : "");
        if (await->reads[i].object == OBJECT_CHANNEL)
            add_channel(t, await->reads[i].addr);
        else
            add_address(t, await->reads[i].addr, 1, NULL);
    }
    text_add(t, " in a loop");
}

uint8_t names_order(const struct op *op)
{
    bool atomic =
        op->kind == OP_RMW || op->kind == OP_CAS ||
        ((op->kind == OP_LOAD || op->kind == OP_STORE) && !(op->variant & OP_VARIANT_PLAIN)) ||
        (op->kind == OP_FENCE && op->variant != OP_VARIANT_LOCKED);

    return atomic && op->order <= ORDER_SEQ_CST ? (uint8_t)(op->order + 1) : 0;
}

/* ".release", of what is atomic. */
static void add_order(struct text *t, const struct op *op)
{
    uint8_t order = names_order(op);

    if (order)
        text_add(t, ".%s", memory_order_words[order - 1]);
}

/* What is done, to which object. */
static void add_deed(struct text *t, const struct op *op)
{
    const struct op_info *info = &op_infos[op->kind];

    if (op->kind == OP_AWAIT && op->variant == OBJECT_STRICT && op->expect == OP_AWAIT) {
        text_add(t, "a signal");
        return;
    }
    if (op->kind == OP_AWAIT && op->variant == OBJECT_STRICT) {
        op = &(struct op){.kind = (uint8_t)op->expect, .addr = op->mutex};
        info = &op_infos[op->kind];
    } else if (op->kind == OP_AWAIT) {
        add_awaited(t, op);
        return;
    }

    if (info->object == OBJECT_SEM && futex_word(op->addr)) {
        text_add(t, op->kind == OP_SEM_POST ? "futex wake " : "futex wait ");
        add_address(t, (uint64_t)(uintptr_t)futex_word(op->addr), sizeof(int), op_site(op));
        return;
    }
    text_add(t, "%s%s", op->kind == OP_RMW ? rmw_kind_names[op->variant] : info->text,
             is_unlock_flush(op) ? " spinunlock" : "");
    add_order(t, op);
    if (info->object == OBJECT_THREAD && op->kind != OP_THREAD_EXIT) {
        text_add(t, " T%" PRIu32, thread_number((agent_id)op->addr));
    } else if (info->object != OBJECT_NONE && info->object != OBJECT_THREAD) {
        text_add(t, " ");
        add_object(t, op);
    }
}

static void add_op(struct text *t, const struct op *op)
{
    add_deed(t, op);
    if (op->kind == OP_CAS) {
        text_add(t, " from ");
        add_value(t, op->expect, op);
    }
    if (op->kind == OP_RMW || op->kind == OP_CAS) {
        text_add(t, op->kind == OP_CAS ? " to " : ", ");
        add_value(t, op->value, op);
    }
    if (op->kind == OP_STORE || (op->kind == OP_FLUSH && !is_unlock_flush(op))) {
        text_add(t, " = ");
        add_value(t, op->kind == OP_STORE ? op->value : op->expect, op);
    }
}

size_t names_address(uint64_t addr, unsigned bytes, const struct raddle_site *site, char *text,
                     size_t size)
{
    struct text t = text_open(text, size);

    add_address(&t, addr, bytes, site);
    return t.used;
}

size_t names_object(const struct op *op, char *text, size_t size)
{
    struct text t = text_open(text, size);

    add_object(&t, op);
    return t.used;
}

size_t names_op(agent_id agent, const struct op *op, char *text, size_t size)
{
    struct text t = text_open(text, size);

    text_add(&t, "'");
    add_op(&t, op);
    text_add(&t, "' by ");
    add_thread(&t, agent);
    add_site(&t, "at", op_site(op));
    return t.used;
}

size_t names_place(const struct op *op, char *text, size_t size)
{
    struct text t = text_open(text, size);

    add_deed(&t, op);
    add_site(&t, "at", op_site(op));
    return t.used;
}

bool names_failed(const struct event *event)
{
    unsigned size = event->op.size;

    return event->op.kind == OP_CAS && size &&
           cell_cut(event->result, size) != cell_cut(event->op.expect, size);
}

static void add_found(struct text *t, const struct event *event)
{
    if (!names_failed(event)) {
        text_add(t, ": succeeded");
        return;
    }
    text_add(t, ": failed, found ");
    add_value(t, event->result, &event->op);
}

size_t names_step(const struct event *event, char *text, size_t size)
{
    struct text t = text_open(text, size);
    const struct op *op = &event->op;

    add_op(&t, op);
    if (event->result == LOOK_GOES_ON) /* by a plain load: there is something to do */
        text_add(&t, " -> to be done");
    else if (op->kind == OP_COND_SIGNAL && event->outcome == OUTCOME_LOST)
        text_add(&t, " (nobody waits)");
    else if (op->kind == OP_COND_SIGNAL)
        text_add(&t, " (wakes T%" PRIu32 ")", thread_number(event->outcome));
    else if (op->kind == OP_CAS)
        add_found(&t, event);
    else if (op->kind == OP_LOAD || op->kind == OP_RMW) {
        text_add(&t, " -> ");
        add_value(&t, event->result, op);
    } else if (op->kind == OP_COND_TIMEOUT && event->outcome != WAIT_END_TIMEOUT)
        text_add(&t, " (%s)", wait_end_texts[event->outcome]);
    else if (event->result == WAIT_INTERRUPTED)
        text_add(&t, " (%s)", wait_end_texts[WAIT_END_SIGNAL]);
    else if (op->kind == OP_CHOOSE || op->kind == OP_THREAD_TESTCANCEL)
        text_add(&t, " -> %" PRIu64, (uint64_t)event->result);
    return t.used;
}

/* Where the last operation was that changed the object. */
static void add_since(struct text *t, loc_id loc)
{
    const struct execution *x = &native.session->explorer.execution;
    uint32_t r = loc < x->newest.count ? x->newest.at[loc] : RECORD_NONE;
    const struct raddle_site *site;

    while (r != RECORD_NONE && x->accesses.at[r].access.mode == ACCESS_READ)
        r = x->accesses.at[r].older;
    site = r == RECORD_NONE ? NULL : op_site(&x->events.at[x->accesses.at[r].event].op);
    if (!is_of_system(site)) /* who called it then is not known any more */
        add_site(t, "since", site);
}

static void add_holder(struct text *t, const struct op *op)
{
    struct world *world = native.world;
    uint8_t kind = op_infos[op->kind].object;
    uint64_t state;
    uint32_t readers;

    if (kind != OBJECT_MUTEX && kind != OBJECT_SPIN && kind != OBJECT_RWLOCK)
        return;
    state = world_state(world, world_location(world, kind, op->addr)) & OBJECT_USE;
    if (kind != OBJECT_RWLOCK)
        state &= LOCK_USE;
    if (kind != OBJECT_RWLOCK && state) {
        text_add(t, ", held by ");
        add_thread(t, (uint32_t)state - 1);
    } else if (kind == OBJECT_RWLOCK && rwlock_writer(state)) {
        text_add(t, ", held for writing by ");
        add_thread(t, (uint32_t)(state >> 32) - 1);
    }
    if (state)
        add_since(t, world_location(world, kind, op->addr));
    if (kind != OBJECT_RWLOCK || rwlock_writer(state))
        return;
    waiters_members(&world->waiters, rwlock_readers(state), &readers);
    if (readers)
        text_add(t, ", held by %" PRIu32 " readers", readers);
}

/* "to read from the pipe (fd 3) made at x.c:12", or for one of several. */
static void add_channel_wait(struct text *t, const struct op *op)
{
    bool queue = op->variant & CHANNEL_QUEUE && op->kind != OP_CHANNEL_POLL;
    const struct channel_item *items;
    uint32_t count;

    if (op->kind != OP_CHANNEL_POLL) {
        text_add(t, "%s ",
                 op->kind == OP_FILE_LOCK     ? "for"
                 : op->kind == OP_CHANNEL_PUT ? queue ? "to connect to" : "to write to"
                 : queue                      ? "to accept a connection from"
                                              : "to read from");
        add_channel(t, op->addr);
        return;
    }
    items = channel_list_items(&native.world->channel_lists,
                               channel_poll_list(native.world, &view_now, op), &count);
    text_add(t, "for %s", count ? "" : "no descriptor at all");
    for (uint32_t i = 0; i < count; i++) {
        text_add(t, "%s", i ? " or " : "");
        add_channel(t, items[i].in ? items[i].in : items[i].out);
    }
}

/* The condition or the word that the thread waits at: what its last operation was about. */
static const struct op *waited_at(agent_id agent)
{
    const struct execution *x = &native.session->explorer.execution;

    for (uint32_t i = x->events.count; i-- > 0;)
        if (x->events.at[i].agent == agent)
            return &x->events.at[i].op;
    return NULL;
}

/* A wait for a signal is over when the mutex is held again: first the one is missing, then the other. */
static void add_signal_wait(struct text *t, agent_id agent, const struct op *op)
{
    const struct op *wait = waited_at(agent);

    if (native.world->threads.at[agent].woken) {
        text_add(t, "mutex ");
        add_object(t, op);
        text_add(t, " after its wait");
        add_holder(t, op);
        return;
    }
    text_add(t, "a signal");
    if (wait && op_infos[wait->kind].object == OBJECT_COND) {
        text_add(t, " on ");
        add_object(t, wait);
    }
    text_add(t, ", but nobody signals");
}

/* Who waits at a barrier has arrived there by its last operation. */
static void add_barrier_wait(struct text *t, agent_id agent)
{
    const struct op *wait = waited_at(agent);

    text_add(t, "others to come to barrier");
    if (wait && op_infos[wait->kind].object == OBJECT_BARRIER) {
        text_add(t, " ");
        add_object(t, wait);
    }
}

static void add_wait(struct text *t, agent_id agent, const struct op *op)
{
    if (op->kind == OP_COND_RELOCK) {
        add_signal_wait(t, agent, op);
        return;
    }
    if (op->kind == OP_BARRIER_LEAVE) {
        add_barrier_wait(t, agent);
        return;
    }
    if (op->kind == OP_THREAD_JOIN) {
        text_add(t, "the end of ");
        add_thread(t, (agent_id)op->addr);
    } else {
        add_op(t, op);
    }
    if (op->kind == OP_SEM_WAIT && futex_word(op->addr))
        text_add(t, ", but nobody wakes it");
    add_holder(t, op);
}

/* Cancelling and signals do not end what nobody cancels: what is left to wait for is the rest of the wait. */
static struct op wait_rest(const struct op *op)
{
    struct op rest = *op;

    if (op->kind == OP_COND_TIMEOUT && !(op->expect & 1u << WAIT_END_TIMEOUT)) {
        rest.kind = OP_COND_RELOCK;
        rest.addr = op->mutex;
    } else if (op->kind == OP_BARRIER_INTERRUPT) {
        rest.kind = OP_BARRIER_LEAVE;
    }
    return rest;
}

size_t names_wait(agent_id agent, const struct op *op, char *text, size_t size)
{
    struct text t = text_open(text, size);
    struct op rest = wait_rest(op);

    if (op_infos[rest.kind].object == OBJECT_CHANNEL || rest.kind == OP_CHANNEL_POLL) {
        add_channel_wait(&t, &rest);
    } else {
        text_add(&t, "for ");
        add_wait(&t, agent, &rest);
    }
    return t.used;
}

/* Where a thread that waits does so: in the innermost of its functions that is not of the system. */
static const struct raddle_site *user_site(agent_id agent, const struct raddle_site *site)
{
    const struct raddle_frame *frame = native.threads.at[thread_number(agent)]->frames;

    for (int i = 0; i < FRAMES_MAX && frame && is_of_system(site); i++, frame = frame->up)
        if (!is_of_system(frame->site))
            site = frame->site;
    return site;
}

size_t names_waiting(agent_id agent, const struct op *op, char *text, size_t size)
{
    struct text t = text_open(text, size);
    const struct raddle_site *site = user_site(agent, op_site(op));
    char words[600];

    text_add(&t, "  ");
    add_thread(&t, agent);
    names_wait(agent, op, words, sizeof words);
    text_add(&t, " waits %s", words);
    if (site && site->file)
        text_add(&t, ",");
    add_site(&t, "at", site);
    text_add(&t, "\n");
    return t.used;
}

size_t names_choice(agent_id agent, const struct op *op, outcome_id outcome, char *text,
                    size_t size)
{
    struct text t = text_open(text, size);
    const struct raddle_site *site = op_site(op);
    const char *slash = site && site->file ? strrchr(site->file, '/') : NULL;

    text_add(&t, "T%" PRIu32 " ", thread_number(agent));
    add_op(&t, op);
    if (op->kind == OP_COND_SIGNAL && outcome != OUTCOME_LOST)
        text_add(&t, "\nwakes T%" PRIu32, thread_number(outcome));
    else if (op->kind == OP_CHOOSE)
        text_add(&t, " = %" PRIu32, outcome);
    if (site && site->file)
        text_add(&t, "\n%s:%" PRIu32, slash ? slash + 1 : site->file, site->line);
    return t.used;
}

/* ---- values and states */

size_t names_value(uint64_t addr, cell_value value, unsigned size, char *text, size_t text_size)
{
    struct op op = {.kind = OP_LOAD, .addr = addr, .size = (uint8_t)size};
    struct text t = text_open(text, text_size);
    int64_t number = as_signed(value, size);

    if (source_value(&t, op_type(&op), (uint64_t)value) ||
        (size == 8 && add_handle(&t, (uint64_t)value)))
        return t.used;
    if (size == 16 && value >> 64)
        text_add(&t, "0x%" PRIx64 "%016" PRIx64, (uint64_t)(value >> 64), (uint64_t)value);
    else if (number <= INT32_MAX && number >= INT32_MIN)
        text_add(&t, "%" PRId64, number);
    else if (size < 8 || !(source_pointer(&t, (uint64_t)value) || add_heap(&t, (uint64_t)value) ||
                           add_symbol(&t, (uint64_t)value)))
        text_add(&t, "0x%" PRIx64, (uint64_t)value);
    return t.used;
}

/* Who is held back by the object. */
static void add_waiting(struct text *t, enum object_kind kind, uint64_t addr)
{
    struct world *world = native.world;

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        const struct thread *thread = &world->threads.at[agent];

        if (!world->agents.at[agent].is_buffer && thread->status == THREAD_RUNNING &&
            thread->pending.addr == addr && op_infos[thread->pending.kind].object == kind &&
            op_may_wait(&thread->pending) && !world_enabled(world, agent))
            text_add(t, ", T%" PRIu32 " waits", thread_number(agent));
    }
}

static void add_waiters(struct text *t, waiters_id set)
{
    uint32_t count;
    const agent_id *members = waiters_members(&native.world->waiters, set, &count);

    text_add(t, "%s", count ? "" : "nobody waits");
    for (uint32_t i = 0; i < count; i++)
        text_add(t, "%sT%" PRIu32 " waits", i ? ", " : "", thread_number(members[i]));
}

size_t names_state(enum object_kind kind, uint64_t addr, char *text, size_t size)
{
    struct text t = text_open(text, size);
    struct world *world = native.world;
    uint64_t life = world_state(world, world_location(world, kind, addr));
    uint64_t state = life & OBJECT_USE;
    uint32_t readers;

    if (life & OBJECT_DESTROYED) {
        text_add(&t, "destroyed");
        return t.used;
    }
    if (kind == OBJECT_MUTEX || kind == OBJECT_SPIN)
        state &= LOCK_USE;
    if (kind == OBJECT_COND) {
        add_waiters(&t, (waiters_id)state);
        return t.used;
    }
    if ((kind == OBJECT_MUTEX || kind == OBJECT_SPIN) && (uint32_t)state) {
        text_add(&t, "held by T%" PRIu32, thread_number((uint32_t)state - 1));
        if (state >> 32 & 0xfff)
            text_add(&t, " (%" PRIu64 " times)", (state >> 32 & 0xfff) + 1);
    } else if (kind == OBJECT_RWLOCK && rwlock_writer(state)) {
        text_add(&t, "written by T%" PRIu32, thread_number((uint32_t)(state >> 32) - 1));
    } else if (kind == OBJECT_RWLOCK && rwlock_readers(state)) {
        waiters_members(&world->waiters, rwlock_readers(state), &readers);
        text_add(&t, "%" PRIu32 " readers", readers);
    } else if (kind == OBJECT_SEM) {
        text_add(&t, "value %" PRIu64, state);
    } else if (kind == OBJECT_BARRIER) {
        text_add(&t, "%" PRIu64 " arrived", state);
    } else {
        text_add(&t, state ? "%" PRIu64 : "free", state);
    }
    add_waiting(&t, kind, addr);
    return t.used;
}
