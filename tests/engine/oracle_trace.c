#include <stdlib.h>
#include <string.h>

#include "oracle_state.h"

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/* Order matters: mixing in a, then b is not mixing in b, then a. */
struct oracle_hash o_hash_word(struct oracle_hash hash, uint64_t word)
{
    hash.lo = mix(hash.lo + 0x9e3779b97f4a7c15ULL + word);
    hash.hi = mix((hash.hi ^ 0xd1342543de82ef95ULL) + mix(word) * 0x2545f4914f6cdd1dULL);
    return hash;
}

static bool same_agent(const struct o_event *e, const struct o_event *f)
{
    return e->choice.thread == f->choice.thread && e->choice.buffer == f->choice.buffer;
}

/* Rule 2: `e` had to come first for `f` to happen as it did. */
static bool is_cause(const struct o_machine *m, const struct o_event *e, int i,
                     const struct o_event *f)
{
    if (f->cause == i || f->causes[i / 64] >> (i % 64) & 1)
        return true;
    if (e->kind != OP_FLUSH || e->choice.thread != f->choice.thread)
        return false;
    if (f->drain)
        return true;
    if (f->kind == OP_FLUSH)
        return e->entry.number < f->entry.number && o_entry_waits(m, &f->entry, &e->entry);
    return f->buffered && f->buffer == e->choice.buffer && m->bound != ORACLE_UNBOUNDED &&
           e->nth + m->bound == f->in_buffer;
}

/* Two additions of which nobody looks at the result. Sums carry from byte to byte, so they must be of the same bytes. */
static bool both_add(const struct o_event *e, const struct o_event *f)
{
    if (e->adds == O_ADDS_NOT || e->adds != f->adds)
        return false;
    return e->adds != O_SUMS || (e->addr == f->addr && e->size == f->size);
}

/* Rule 3. */
static bool conflict(const struct o_event *e, const struct o_event *f)
{
    for (int i = 0; i < e->size && !both_add(e, f); i++) {
        int j = e->addr + i - f->addr;
        if (j < 0 || j >= f->size)
            continue;
        bool e_writes = e->writes >> i & 1, f_writes = f->writes >> j & 1;
        bool e_reads = e->reads >> i & 1, f_reads = f->reads >> j & 1;
        if ((e_writes && (f_writes || f_reads)) || (e_reads && f_writes))
            return true;
    }
    for (int i = 0; i < e->object_count; i++)
        for (int j = 0; j < f->object_count; j++)
            if (e->objects[i] == f->objects[j] &&
                !(e->object_mode[i] == O_READS && f->object_mode[j] == O_READS) &&
                !(e->object_mode[i] == O_COMES_OR_GOES && f->object_mode[j] == O_COMES_OR_GOES))
                return true;
    return false;
}

/* Rule 4: `e` reads a byte of a buffered store of its own thread, and `f` overwrites that byte after it was flushed. */
static bool overwrites(const struct o_event *f, const struct o_event *e)
{
    for (int i = 0; i < e->size; i++) {
        int j = e->addr + i - f->addr;
        if (e->own[i] && j >= 0 && j < f->size && f->over[j].number == e->own[i] &&
            f->over[j].thread == e->choice.thread)
            return true;
    }
    return false;
}

/* Whether events `i` < `j` are dependent. */
bool o_dependent(const struct o_machine *m, const struct o_event *events, int i, int j)
{
    const struct o_event *e = &events[i], *f = &events[j];

    return same_agent(e, f) || is_cause(m, e, i, f) || conflict(e, f) || overwrites(e, f) ||
           overwrites(f, e);
}

/* Gives the event its name, which does not depend on the interleaving. */
void o_label(struct o_event *events, int index)
{
    struct o_event *event = &events[index];
    struct oracle_hash hash = {0x5261646c, 0x65};

    event->nth = 1;
    event->in_buffer = 1;
    for (int i = 0; i < index; i++) {
        const struct o_event *e = &events[i];
        event->nth += same_agent(e, event);
        event->in_buffer +=
            e->buffered && e->choice.thread == event->choice.thread && e->buffer == event->buffer;
    }
    hash = o_hash_word(hash, (uint64_t)(uint16_t)event->choice.thread << 16 |
                                 (uint16_t)event->choice.buffer);
    event->label = o_hash_word(hash, (uint64_t)event->nth << 32 | event->choice.outcome);
}

/* The hash of a trace is a sum over its labels and its ordered dependent pairs, so that equivalent
 * interleavings sum up to the same. Adds the part that event `index` brings. */
struct oracle_hash o_trace_extend(const struct o_machine *m, const struct o_event *events,
                                  int index, struct oracle_hash hash)
{
    const struct oracle_hash *label = &events[index].label;

    hash.lo += label->lo;
    hash.hi += label->hi;
    for (int i = 0; i < index; i++) {
        if (!o_dependent(m, events, i, index))
            continue;
        struct oracle_hash pair = o_hash_word(events[i].label, label->lo);
        hash.lo += mix(pair.lo ^ label->hi);
        hash.hi += mix(pair.hi + label->hi);
    }
    return hash;
}

/* Cells, registers, how each thread ended, and at which operation the blocked ones are. */
struct oracle_hash o_state_hash(const struct o_machine *m, const struct o_state *s)
{
    struct oracle_hash hash = {1, 2};

    for (uint32_t i = 0; i < m->byte_count; i += 8)
        hash = o_hash_word(hash, o_bytes_read(s, i, 8));
    for (uint32_t t = 0; t < m->thread_count; t++) {
        const struct o_thread *thread = &s->threads[t];
        struct o_pending p = {.kind = OP_KIND_COUNT};
        if (thread->status == ORACLE_BLOCKED)
            o_pending(m, s, t, &p);
        uint32_t pc = thread->status == ORACLE_BLOCKED ? thread->pc : 0;
        hash = o_hash_word(hash, (uint64_t)thread->status << 40 | (uint64_t)p.kind << 32 | pc);
        for (uint32_t r = 0; r < m->program->threads[t].reg_count; r++)
            hash = o_hash_word(hash, (uint64_t)thread->regs[r]);
    }
    return hash;
}

/* The slot where `hash` is or belongs; capacity must not be full. All-zero slots are free: no hash
 * is ever all zero but with probability 2^-128. */
static struct oracle_hash *set_slot(const struct oracle_set *set, struct oracle_hash hash)
{
    uint32_t i = (uint32_t)hash.lo & (set->capacity - 1);

    while ((set->slots[i].lo | set->slots[i].hi) &&
           (set->slots[i].lo != hash.lo || set->slots[i].hi != hash.hi))
        i = (i + 1) & (set->capacity - 1);
    return &set->slots[i];
}

bool oracle_set_has(const struct oracle_set *set, struct oracle_hash hash)
{
    if (set->capacity == 0)
        return false;
    const struct oracle_hash *slot = set_slot(set, hash);
    return slot->lo | slot->hi;
}

bool oracle_set_add(struct oracle_set *set, struct oracle_hash hash)
{
    if (set->count * 2 >= set->capacity) {
        struct oracle_set bigger = {.capacity = set->capacity ? set->capacity * 2 : 64};
        bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
        for (uint32_t i = 0; i < set->capacity; i++)
            if (set->slots[i].lo | set->slots[i].hi)
                *set_slot(&bigger, set->slots[i]) = set->slots[i];
        bigger.count = set->count;
        free(set->slots);
        *set = bigger;
    }
    struct oracle_hash *slot = set_slot(set, hash);
    if (slot->lo | slot->hi)
        return false;
    *slot = hash;
    set->count++;
    return true;
}

void oracle_set_free(struct oracle_set *set)
{
    free(set->slots);
    memset(set, 0, sizeof *set);
}
