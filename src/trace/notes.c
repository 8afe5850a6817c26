#include "trace/notes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/order.h"
#include "trace/story.h"
#include "trace/words.h"

/* In a run that goes wrong in one way again and again, the first ones say it. */
#define NOTES_MAX 12

/* Stores that one load has passed. */
#define PASSED_TOLD 3

/* Steps to look back; keeps a hostile trace from taking quadratic time. */
#define LOOK_MAX 4096

/* What one searches through. */
struct finding {
    const struct trace *trace;
    struct arena *arena;
    note_vec *notes;
    const struct story_link *links;
    const uint32_t *stores; /* words_link_flushes */
};

__attribute__((format(printf, 3, 4))) static void note_add(struct finding *f, uint32_t step,
                                                           const char *format, ...)
{
    char text[2 * WORDS_MAX];
    va_list arguments;
    size_t size;
    char *copy;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size = strlen(text) + 1;
    copy = memcpy(arena_alloc(f->arena, size), text, size);
    vec_push(f->arena, f->notes, (struct note){step, copy});
}

/* ---- memory orders */

static bool acquires(uint8_t order)
{
    return order == 1 + ORDER_ACQUIRE || order == 1 + ORDER_ACQ_REL || order == 1 + ORDER_SEQ_CST;
}

static bool releases(uint8_t order)
{
    return order == 1 + ORDER_RELEASE || order == 1 + ORDER_ACQ_REL || order == 1 + ORDER_SEQ_CST;
}

/* Whether the thread has a fence of that kind between the two steps. */
static bool has_fence(const struct trace *trace, uint32_t thread, uint32_t from, uint32_t to,
                      bool (*is)(uint8_t order))
{
    for (uint32_t i = from; i < to; i++)
        if (trace->steps.at[i].op == OP_FENCE && trace->steps.at[i].thread == thread &&
            is(trace->steps.at[i].order))
            return true;
    return false;
}

static const char *access_word(const struct trace_step *step)
{
    return step->op == OP_LOAD    ? "load"
           : step->op == OP_STORE ? "store"
           : step->op == OP_CAS   ? "compare-exchange"
                                  : "read-modify-write";
}

/* "the store at a.c:12 (step 5) is relaxed". */
static const char *access_words(const struct finding *f, uint32_t i, char *buffer, size_t size)
{
    const struct trace_step *step = &f->trace->steps.at[i];
    struct text text = text_open(buffer, size);
    char place[WORDS_MAX];

    words_place(&step->site, true, place, sizeof place);
    text_add(&text, "the %s%s%s (step %" PRIu32 ") is %s", access_word(step), *place ? " at " : "",
             place, i + 1, memory_order_words[step->order - 1]);
    return buffer;
}

/* The step that made what the atomic load `i` read, if that is an atomic write of `thread` behind step `after`; else STORY_NONE. */
static uint32_t publisher_of(const struct finding *f, uint32_t i, uint32_t thread, uint32_t after)
{
    const struct trace_step *steps = f->trace->steps.at;
    uint32_t from = f->links[i].from;

    if (from != STORY_NONE && f->stores[from])
        from = f->stores[from] - 1; /* the store that was flushed */
    return from != STORY_NONE && from > after && steps[from].thread == thread && steps[from].order
               ? from
               : STORY_NONE;
}

/* The thread of the earlier access has stored something behind it that the other thread has read before its own: that would order the
 * two, were it not for the memory order of one of the two. */
static void find_weak_order(struct finding *f)
{
    const struct trace *trace = f->trace;
    const struct trace_side *before, *now;
    char words[WORDS_MAX + 100];

    if (trace->sides.count != 2)
        return;
    before = &trace->sides.at[0];
    now = &trace->sides.at[1];
    if (!before->step || !now->step)
        return;
    for (uint32_t i = before->step; i + 1 < now->step; i++) {
        const struct trace_step *load = &trace->steps.at[i];
        uint32_t store;
        bool writes = trace->steps.at[before->step - 1].writes;

        if (load->thread != now->thread || !load->reads || !load->order)
            continue;
        store = publisher_of(f, i, before->thread, before->step - 1);
        if (store == STORY_NONE)
            continue;
        if (!releases(trace->steps.at[store].order) &&
            !has_fence(trace, before->thread, before->step, store, releases))
            note_add(f, store, "%s: it does not publish what was %s before it",
                     access_words(f, store, words, sizeof words), writes ? "written" : "done");
        if (!acquires(load->order) && !has_fence(trace, now->thread, i, now->step - 1, acquires))
            note_add(f, i, "%s: what was %s before the store that it reads is not ordered by it",
                     access_words(f, i, words, sizeof words), writes ? "written" : "done");
    }
}

/* ---- buffers */

static const char *object_of(const struct trace_step *step)
{
    return step->object ? step->object : "memory";
}

/* Stores that no flush belongs to. */
static void find_waiting(struct finding *f)
{
    const struct trace *trace = f->trace;
    uint32_t count = trace->steps.count;
    bool *flushed = arena_alloc(f->arena, count + 1);
    char name[WORDS_MAX];

    memset(flushed, 0, count + 1);
    for (uint32_t i = 0; i < count; i++)
        flushed[f->stores[i]] = true; /* by its number, from 1; 0 is nobody's */
    for (uint32_t i = 0; i < count && f->notes->count < NOTES_MAX; i++) {
        const struct trace_step *step = &trace->steps.at[i];

        if (step->op == OP_STORE && step->buffered && !flushed[i + 1])
            note_add(f, i,
                     "the store to %s (step %" PRIu32
                     ") is still in the store buffer of %s at the end",
                     object_of(step), i + 1, words_thread(trace, step->thread, name, sizeof name));
    }
}

/* ---- step by step */

/* Whether the flush is of a store that the thread of step `i` had made before that, to other memory. */
static bool is_passed(const struct finding *f, uint32_t flush, uint32_t i)
{
    const struct trace_step *steps = f->trace->steps.at;
    uint32_t made = f->stores[flush] ? f->stores[flush] - 1 : steps[flush].issued;

    return steps[flush].op == OP_FLUSH && steps[flush].thread == steps[i].thread &&
           steps[flush].cell != steps[i].cell && made < i;
}

/* "flag[0] (step 2, in memory from step 8 on) and turn (…)". */
static void add_passed(const struct finding *f, struct text *text, uint32_t i)
{
    uint32_t told = 0;

    for (uint32_t k = i + 1; k < f->trace->steps.count && told < PASSED_TOLD; k++) {
        if (!is_passed(f, k, i))
            continue;
        text_add(text, "%s%s (", told++ ? " and to " : "", object_of(&f->trace->steps.at[k]));
        if (f->stores[k])
            text_add(text, "step %" PRIu32 ", ", f->stores[k]);
        text_add(text, "in memory from step %" PRIu32 " on)", k + 1);
    }
}

static void find_passed(struct finding *f, uint32_t i)
{
    const struct trace_step *step = &f->trace->steps.at[i];
    char name[WORDS_MAX], stores[2 * WORDS_MAX];
    struct text text = text_open(stores, sizeof stores);

    if (f->links[i].passed == STORY_NONE)
        return;
    add_passed(f, &text, i);
    note_add(
        f, i, "%s reads %s in step %" PRIu32 " while its own store to %s is in its store buffer",
        words_thread(f->trace, step->thread, name, sizeof name), object_of(step), i + 1, stores);
}

static void find_lost(struct finding *f, uint32_t i)
{
    const struct story_link *link = &f->links[i];
    const struct trace_step *step = &f->trace->steps.at[i];
    char name[WORDS_MAX], other[WORDS_MAX];

    if (link->lost == STORY_NONE)
        return;
    words_thread(f->trace, f->trace->steps.at[link->lost].thread, other, sizeof other);
    note_add(f, i,
             "%s writes %s in step %" PRIu32 " and had last read it in step %" PRIu32
             ": what %s wrote in step %" PRIu32 " is lost",
             words_thread(f->trace, step->thread, name, sizeof name), object_of(step), i + 1,
             link->based + 1, other, link->lost + 1);
}

/* No small number: lock words and counters come back to what they were all the time. */
static bool is_pointer(const struct trace_step *step)
{
    return step->size == sizeof(void *) && step->value > UINT32_MAX;
}

/* ABA: since the thread has read the pointer, others have written it, and the compare-exchange finds it as it was. */
static void find_aba(struct finding *f, uint32_t i)
{
    const struct trace_step *steps = f->trace->steps.at, *cas = &steps[i];
    uint32_t read = i, first = STORY_NONE, last = STORY_NONE;
    char name[WORDS_MAX], other[WORDS_MAX];

    if (cas->op != OP_CAS || cas->failed || !cas->cell || !is_pointer(cas))
        return;
    while (read-- > 0 && i - read < LOOK_MAX &&
           !(steps[read].thread == cas->thread && steps[read].cell == cas->cell)) {
        if (steps[read].cell != cas->cell || !steps[read].writes || steps[read].buffered)
            continue;
        first = read;
        last = last == STORY_NONE ? read : last;
    }
    if (read == STORY_NONE || i - read >= LOOK_MAX || first == last || !steps[read].reads ||
        steps[read].value != cas->value)
        return;
    note_add(f, i,
             "%s reads %s in step %" PRIu32 "; %s changes it in step %" PRIu32
             ", and it is as before from step %" PRIu32 " on: the compare-exchange in step %" PRIu32
             " succeeds all the same (ABA)",
             words_thread(f->trace, cas->thread, name, sizeof name), object_of(cas), read + 1,
             words_thread(f->trace, steps[first].thread, other, sizeof other), first + 1, last + 1,
             i + 1);
}

/* A signal that nobody waited for, of a condition that somebody waits on at the end. */
static void find_signal(struct finding *f, uint32_t i)
{
    const struct trace_step *step = &f->trace->steps.at[i];
    char name[WORDS_MAX], other[WORDS_MAX];

    if (step->op != OP_COND_SIGNAL || step->outcome != OUTCOME_LOST || !step->object)
        return;
    for (uint32_t k = 0; k < f->trace->waits.count; k++) {
        const struct trace_wait *wait = &f->trace->waits.at[k];

        if (wait->thread == step->thread || !strstr(wait->text, step->object))
            continue;
        note_add(f, i,
                 "%s signals %s in step %" PRIu32
                 ", when nobody waits on it: %s, which waits on it later, is not woken",
                 words_thread(f->trace, step->thread, name, sizeof name), step->object, i + 1,
                 words_thread(f->trace, wait->thread, other, sizeof other));
        return;
    }
}

/* Each is found in the order of its steps; by kind would be harder to follow. */
static void notes_sort(note_vec *notes, uint32_t first)
{
    for (uint32_t i = first + 1; i < notes->count; i++) {
        struct note note = notes->at[i];
        uint32_t k = i;

        for (; k > first && notes->at[k - 1].step > note.step; k--)
            notes->at[k] = notes->at[k - 1];
        notes->at[k] = note;
    }
}

void notes_find(const struct trace *trace, struct arena *arena, note_vec *notes)
{
    struct finding f = {trace, arena, notes, story_links(trace, arena),
                        words_link_flushes(trace, arena)};
    uint32_t first = notes->count;

    find_weak_order(&f);
    find_waiting(&f);
    for (uint32_t i = 0; i < trace->steps.count && notes->count - first < NOTES_MAX; i++) {
        find_passed(&f, i);
        find_lost(&f, i);
        find_signal(&f, i);
        find_aba(&f, i);
    }
    notes_sort(notes, first);
}
