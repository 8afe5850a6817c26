#include "trace/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "model/object.h"
#include "model/order.h"

/* A phrase being put together. */
struct phrase {
    char *at;
    size_t used, size;
};

__attribute__((format(printf, 2, 3))) static void add(struct phrase *p, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(p->at + p->used, p->size - p->used, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    p->used += (size_t)length;
    if (p->used < p->size)
        return;
    p->used = p->size - 1;
    if (p->size > 4)
        memcpy(p->at + p->size - 4, "...", 4);
}

static struct phrase phrase_begin(char *buffer, size_t size)
{
    buffer[0] = '\0';
    return (struct phrase){.at = buffer, .size = size};
}

const char *words_thread_name(const struct trace *trace, uint32_t thread)
{
    const char *name = trace->threads.at[thread].name;

    return name || thread ? name : "main";
}

const char *words_thread(const struct trace *trace, uint32_t thread, char *buffer, size_t size)
{
    struct phrase p = phrase_begin(buffer, size);
    const char *name = words_thread_name(trace, thread);

    add(&p, "T%" PRIu32, thread);
    if (name)
        add(&p, " (%s)", name);
    return buffer;
}

const char *words_place(const struct trace_site *site, bool is_short, char *buffer, size_t size)
{
    struct phrase p = phrase_begin(buffer, size);
    const char *slash = site->file ? strrchr(site->file, '/') : NULL;

    if (!site->file)
        return buffer;
    add(&p, "%s", is_short && slash ? slash + 1 : site->file);
    if (site->line)
        add(&p, ":%" PRIu32, site->line);
    return buffer;
}

/* Numbers as C programs mean them: signed; but what can only be an address or a pattern of bits in
 * hex. */
static void add_value(struct phrase *p, const struct trace_step *step)
{
    unsigned bytes = step->size && step->size < 8 ? step->size : 8;
    unsigned unused = 64 - 8 * bytes;
    int64_t value = (int64_t)(step->value << unused) >> unused;

    if (value > INT32_MAX || value < INT32_MIN)
        add(p, "0x%" PRIx64, step->value);
    else
        add(p, "%" PRId64, value);
}

static bool op_returns(uint8_t op)
{
    return op == OP_LOAD || op == OP_RMW || op == OP_CAS || op == OP_CHOOSE ||
           strstr(op_infos[op].text, "try");
}

static void add_result(struct phrase *p, const struct trace_step *step)
{
    if (step->plain && !step->size)
        return; /* too large to have one value */
    if (op_returns(step->op) && !strstr(p->at, "->") && !strstr(p->at, ": succeeded") &&
        !strstr(p->at, ": failed")) {
        add(p, " -> ");
        add_value(p, step);
        add(p, step->op != OP_CAS ? "" : step->failed ? " (failed)" : " (succeeded)");
    } else if (step->op == OP_FLUSH && !step->size) {
        return; /* a lock that is given back */
    } else if ((step->op == OP_STORE || step->op == OP_FLUSH) && !strstr(p->at, "= ")) {
        add(p, " = ");
        add_value(p, step);
    } else if (strchr(p->at, '(')) {
        return; /* the text has it */
    } else if (step->op == OP_COND_TIMEOUT && step->outcome) {
        add(p, " (%s)", step->outcome < WAIT_END_COUNT ? wait_end_texts[step->outcome] : "");
    } else if (step->op != OP_COND_SIGNAL || strstr(p->at, "->")) {
        return;
    } else if (step->outcome == OUTCOME_LOST) {
        add(p, " (nobody waits)");
    } else {
        add(p, " (wakes T%" PRIu32 ")", step->outcome);
    }
}

/* The text without the word `flush`, which words_step puts before the number of the store. */
static const char *flush_text(const char *text)
{
    return strncmp(text, "flush ", 6) == 0 ? text + 6 : text;
}

const char *words_step(const struct trace *trace, uint32_t step, uint32_t store, char *buffer,
                       size_t size)
{
    const struct trace_step *s = &trace->steps.at[step];
    struct phrase p = phrase_begin(buffer, size);

    if (s->op == OP_FLUSH) {
        add(&p, "flush");
        if (store)
            add(&p, " #%" PRIu32 ":", store);
        if (s->text || s->object)
            add(&p, " %s", s->text ? flush_text(s->text) : s->object);
    } else if (s->text) {
        add(&p, "%s", s->text);
    } else {
        add(&p, "%s", op_infos[s->op].text);
        if (s->order)
            add(&p, ".%s", memory_order_words[s->order - 1]);
        if (s->object)
            add(&p, " %s", s->object);
    }
    add_result(&p, s);
    if (s->buffered)
        add(&p, " (buffered)");
    return buffer;
}

/* ---- which store a flush belongs to */

#define NOTHING UINT32_MAX

/* No real buffer holds more; keeps a hostile trace from taking quadratic time. */
#define LOOK_MAX 256

/* The stores that wait in the buffers of a thread, oldest first, linked through `next`. */
struct waiting {
    uint32_t first, last;
};

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool flush_fits(const struct trace_step *flush, const struct trace_step *store)
{
    return flush->value == store->value && flush->size == store->size &&
           flush->cell == store->cell && is_same(flush->object, store->object);
}

/* Takes the oldest store that fits out of the buffers; NOTHING if none does. */
static uint32_t waiting_take(const struct trace *trace, struct waiting *waiting, uint32_t *next,
                             const struct trace_step *flush)
{
    uint32_t before = NOTHING, store = waiting->first;

    for (int i = 0; store != NOTHING && i < LOOK_MAX; i++) {
        if (flush_fits(flush, &trace->steps.at[store])) {
            if (before == NOTHING)
                waiting->first = next[store];
            else
                next[before] = next[store];
            if (waiting->last == store)
                waiting->last = before;
            return store;
        }
        before = store;
        store = next[store];
    }
    return NOTHING;
}

static void waiting_add(struct waiting *waiting, uint32_t *next, uint32_t store)
{
    next[store] = NOTHING;
    if (waiting->first == NOTHING)
        waiting->first = store;
    else
        next[waiting->last] = store;
    waiting->last = store;
}

/* TSO flushes the oldest store of the thread, PSO the oldest to that address. The oldest with
 * equal address, name, size and value is the one under both models. */
uint32_t *words_link_flushes(const struct trace *trace, struct arena *arena)
{
    uint32_t count = trace->steps.count;
    uint32_t *link = arena_alloc(arena, (count + 1) * sizeof *link);
    uint32_t *next = arena_alloc(arena, (count + 1) * sizeof *next);
    struct waiting *waiting = arena_alloc(arena, trace->threads.count * sizeof *waiting);

    for (uint32_t i = 0; i < trace->threads.count; i++)
        waiting[i] = (struct waiting){NOTHING, NOTHING};
    for (uint32_t i = 0; i < count; i++) {
        const struct trace_step *step = &trace->steps.at[i];

        link[i] = 0;
        if (step->op == OP_STORE && step->buffered)
            waiting_add(&waiting[step->thread], next, i);
        else if (step->op == OP_FLUSH)
            link[i] = waiting_take(trace, &waiting[step->thread], next, step) + 1;
    }
    return link;
}

uint32_t words_context_switches(const struct trace *trace)
{
    uint32_t switches = 0, running = NOTHING;

    for (uint32_t i = 0; i < trace->steps.count; i++) {
        const struct trace_step *step = &trace->steps.at[i];

        if (step->is_buffer || step->plain)
            continue;
        switches += running != NOTHING && running != step->thread;
        running = step->thread;
    }
    return switches;
}
