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
#include "runtime/report/names_words.h"
#include "runtime/report/source.h"

struct names_tellers names_tellers; /* outlives a run: set once */

const void *names_futex_word(uint64_t semaphore)
{
    return names_tellers.futex_word ? names_tellers.futex_word(semaphore) : NULL;
}

void names_add_site(struct text *t, const char *before, const struct raddle_site *site)
{
    const char *name;

    if (!site || !site->file)
        return;
    name = strrchr(site->file, '/');
    text_add(t, " %s %s", before, name ? name + 1 : site->file);
    if (site->line)
        text_add(t, ":%" PRIu32, site->line);
}

bool names_is_of_system(const struct raddle_site *site)
{
    return site && place_is_of_system(site->file, site->function, site->line);
}

const struct raddle_site *names_op_site(const struct op *op)
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
        names_add_site(t, "from", made);
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

void names_add_channel(struct text *t, uint64_t name)
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
    const struct raddle_site *site = names_op_site(op);
    uint64_t offset;

    if (!site || !site->what || op_infos[op->kind].object != OBJECT_CELL || is_unlock_flush(op))
        return false;
    /* a part of it is not the whole; and what a pointer points to may be here, and elsewhere later */
    if (site->what[0] == '*' || (symbols_find(op->addr, &offset) && offset))
        return false;
    text_add(t, "%s", site->what);
    return true;
}

void names_add_object(struct text *t, const struct op *op)
{
    const struct raddle_site *site = names_op_site(op);
    uint8_t kind = op_infos[op->kind].object;
    unsigned bytes = kind == OBJECT_CELL ? op->size : 1; /* of a lock, the first member, too */

    if (kind == OBJECT_NONE || kind == OBJECT_THREAD)
        return;
    if (kind == OBJECT_CHANNEL)
        names_add_channel(t, op->addr);
    else if (!source_name(t, op->addr, bytes, site, NULL) && !add_what(t, op))
        add_address(t, op->addr, bytes, site);
}

uint32_t names_thread_number(agent_id agent)
{
    const struct world *world = native.world;

    return (uint32_t)world->agents.at[world->agents.at[agent].thread].key;
}

void names_add_thread(struct text *t, agent_id agent)
{
    native_thread_words(t, names_thread_number(agent));
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
        source_name(&unused, op->addr, op->size, names_op_site(op), &type);
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
            names_add_channel(t, await->reads[i].addr);
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

    if (info->object == OBJECT_SEM && names_futex_word(op->addr)) {
        text_add(t, op->kind == OP_SEM_POST ? "futex wake " : "futex wait ");
        add_address(t, (uint64_t)(uintptr_t)names_futex_word(op->addr), sizeof(int),
                    names_op_site(op));
        return;
    }
    text_add(t, "%s%s", op->kind == OP_RMW ? rmw_kind_names[op->variant] : info->text,
             is_unlock_flush(op) ? " spinunlock" : "");
    add_order(t, op);
    if (info->object == OBJECT_THREAD && op->kind != OP_THREAD_EXIT) {
        text_add(t, " T%" PRIu32, names_thread_number((agent_id)op->addr));
    } else if (info->object != OBJECT_NONE && info->object != OBJECT_THREAD) {
        text_add(t, " ");
        names_add_object(t, op);
    }
}

void names_add_op(struct text *t, const struct op *op)
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

    names_add_object(&t, op);
    return t.used;
}

size_t names_op(agent_id agent, const struct op *op, char *text, size_t size)
{
    struct text t = text_open(text, size);

    text_add(&t, "'");
    names_add_op(&t, op);
    text_add(&t, "' by ");
    names_add_thread(&t, agent);
    names_add_site(&t, "at", names_op_site(op));
    return t.used;
}

size_t names_place(const struct op *op, char *text, size_t size)
{
    struct text t = text_open(text, size);

    add_deed(&t, op);
    names_add_site(&t, "at", names_op_site(op));
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

    names_add_op(&t, op);
    if (event->result == LOOK_GOES_ON) /* by a plain load: there is something to do */
        text_add(&t, " -> to be done");
    else if (op->kind == OP_COND_SIGNAL && event->outcome == OUTCOME_LOST)
        text_add(&t, " (nobody waits)");
    else if (op->kind == OP_COND_SIGNAL)
        text_add(&t, " (wakes T%" PRIu32 ")", names_thread_number(event->outcome));
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

size_t names_choice(agent_id agent, const struct op *op, outcome_id outcome, char *text,
                    size_t size)
{
    struct text t = text_open(text, size);
    const struct raddle_site *site = names_op_site(op);
    const char *slash = site && site->file ? strrchr(site->file, '/') : NULL;

    text_add(&t, "T%" PRIu32 " ", names_thread_number(agent));
    names_add_op(&t, op);
    if (op->kind == OP_COND_SIGNAL && outcome != OUTCOME_LOST)
        text_add(&t, "\nwakes T%" PRIu32, names_thread_number(outcome));
    else if (op->kind == OP_CHOOSE)
        text_add(&t, " = %" PRIu32, outcome);
    if (site && site->file)
        text_add(&t, "\n%s:%" PRIu32, slash ? slash + 1 : site->file, site->line);
    return t.used;
}

/* ---- values */

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
