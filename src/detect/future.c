#include "detect/future.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "detect/detect.h"
#include "detect/knowledge.h"

static struct futures *tables(void)
{
    return detector.futures;
}

void future_open(struct futures *futures, struct arena *arena)
{
    detector.futures = futures;
    if (futures->arena)
        return;
    futures->arena = arena;
    map_open(&futures->object_numbers, arena);
    intern_open(&futures->segments, arena);
    intern_open(&futures->sources, arena);
    intern_open(&futures->passages, arena);
    intern_open(&futures->sets, arena);
    map_open(&futures->before, arena);
    map_open(&futures->either, arena);
    map_open(&futures->pulled, arena);
}

void future_log(bool on)
{
    CHECK(tables() || !on, "no tables to log into");
    passage_clear();
    detector.logs = on;
}

uint64_t future_bytes(void)
{
    const struct futures *f = tables();

    if (!f)
        return 0;
    return map_bytes(&f->object_numbers) + f->object_keys.room * sizeof *f->object_keys.at +
           intern_bytes(&f->segments) + intern_bytes(&f->sources) + intern_bytes(&f->passages) +
           intern_bytes(&f->sets) + map_bytes(&f->before) + map_bytes(&f->either) +
           map_bytes(&f->pulled) + f->source.room * sizeof *f->source.at +
           f->items.room * sizeof *f->items.at + f->moved.room * sizeof *f->moved.at;
}

uint32_t future_object(uint64_t key)
{
    struct futures *f = tables();
    uint32_t number = map_get(&f->object_numbers, key);

    if (number == MAP_ABSENT) {
        number = f->object_keys.count;
        vec_push(f->arena, &f->object_keys, key);
        map_add(&f->object_numbers, key, number);
    }
    return number;
}

uint64_t future_object_key(uint32_t number)
{
    return tables()->object_keys.at[number];
}

/* ---- sources; the one under way is in futures.source */

/* Where that name is, or belongs. */
static uint32_t source_place(const struct futures *f, holder h)
{
    uint32_t i = f->source.count;

    while (i > 0 && holder_name(f->source.at[i - 1]) >= holder_name(h))
        i--;
    return i;
}

static bool source_has_name(const struct futures *f, uint32_t place, holder h)
{
    return place < f->source.count && holder_name(f->source.at[place]) == holder_name(h);
}

static void source_add(struct futures *f, holder h)
{
    uint32_t place = source_place(f, h);

    if (holder_bytes(h) == 0)
        return;
    if (source_has_name(f, place, h)) {
        f->source.at[place] |= holder_bytes(h);
        return;
    }
    vec_reserve(f->arena, &f->source, 1);
    memmove(&f->source.at[place + 1], &f->source.at[place],
            (f->source.count++ - place) * sizeof *f->source.at);
    f->source.at[place] = h;
}

/* Whether any of its bytes are there; and if `takes`, they are not any more. */
static bool source_meets(struct futures *f, holder h, bool takes)
{
    uint32_t place = source_place(f, h);

    if (!source_has_name(f, place, h) || !(holder_bytes(f->source.at[place]) & holder_bytes(h)))
        return false;
    if (!takes)
        return true;
    f->source.at[place] &= ~(uint64_t)holder_bytes(h);
    if (holder_bytes(f->source.at[place]) == 0)
        memmove(&f->source.at[place], &f->source.at[place + 1],
                (--f->source.count - place) * sizeof *f->source.at);
    return true;
}

static struct passage_step step_at(const uint64_t *steps, uint32_t i)
{
    const uint64_t *words = &steps[i * PASSAGE_STEP_WORDS];

    return (struct passage_step){words[0], words[1], words[2]};
}

/* From behind those steps to before them. */
static void source_pull(struct futures *f, const uint64_t *steps, uint32_t count)
{
    while (count-- > 0) {
        struct passage_step step = step_at(steps, count);

        if (step.what != PASSAGE_ACCESSES && source_meets(f, step.to, step.what == PASSAGE_BECOMES))
            source_add(f, step.from);
    }
}

static uint32_t source_number(struct futures *f)
{
    return intern_number(&f->sources, f->source.at, f->source.count);
}

static uint32_t source_before(struct futures *f, passage_id transition, uint32_t source)
{
    uint64_t key = (uint64_t)transition << 32 | source;
    uint32_t number = map_get(&f->pulled, key), count;
    const uint64_t *words;

    if (number != MAP_ABSENT)
        return number;
    words = intern_words(&f->sources, source, &count);
    f->source.count = 0;
    for (uint32_t i = 0; i < count; i++)
        source_add(f, words[i]);
    words = intern_words(&f->passages, transition, &count);
    source_pull(f, words, count / PASSAGE_STEP_WORDS);
    number = source_number(f);
    map_add(&f->pulled, key, number);
    return number;
}

/* Whether all that is in `a` is in `b`. */
static bool source_is_within(const struct futures *f, uint32_t a, uint32_t b)
{
    uint32_t count_a, count_b, k = 0;
    const holder *in_a = intern_words(&f->sources, a, &count_a);
    const holder *in_b = intern_words(&f->sources, b, &count_b);

    if (a == b)
        return true;
    for (uint32_t i = 0; i < count_a; i++) {
        while (k < count_b && holder_name(in_b[k]) < holder_name(in_a[i]))
            k++;
        if (k == count_b || holder_name(in_b[k]) != holder_name(in_a[i]) ||
            holder_bytes(in_a[i]) & ~holder_bytes(in_b[k]))
            return false;
    }
    return true;
}

/* ---- sets; the one under way is in futures.items */

static uint64_t item_of(uint32_t segment, uint32_t source)
{
    return (uint64_t)segment << 32 | source;
}

static uint32_t item_segment(uint64_t item)
{
    return (uint32_t)(item >> 32);
}

static uint32_t item_source(uint64_t item)
{
    return (uint32_t)item;
}

/* Those of the same segment begin at `first`, and are the last. */
static void item_add(struct futures *f, uint32_t first, uint64_t item)
{
    uint32_t kept = first, place;

    for (uint32_t i = first; i < f->items.count; i++)
        if (source_is_within(f, item_source(f->items.at[i]), item_source(item)))
            return;
    for (uint32_t i = first; i < f->items.count; i++)
        if (!source_is_within(f, item_source(item), item_source(f->items.at[i])))
            f->items.at[kept++] = f->items.at[i];
    f->items.count = kept;
    vec_push(f->arena, &f->items, item);
    for (place = kept; place > first && f->items.at[place - 1] > item; place--)
        f->items.at[place] = f->items.at[place - 1];
    f->items.at[place] = item;
}

/* The set of both; each has its items in the order of their segments. */
static future_id items_unite(struct futures *f, const uint64_t *a, uint32_t count_a,
                             const uint64_t *b, uint32_t count_b)
{
    const uint64_t *end_a = count_a ? a + count_a : a, *end_b = count_b ? b + count_b : b;

    f->items.count = 0;
    while (a < end_a || b < end_b) {
        uint32_t first = f->items.count;
        uint32_t segment = a < end_a && (b == end_b || item_segment(*a) < item_segment(*b))
                               ? item_segment(*a)
                               : item_segment(*b);

        while (a < end_a && item_segment(*a) == segment)
            item_add(f, first, *a++);
        while (b < end_b && item_segment(*b) == segment)
            item_add(f, first, *b++);
    }
    return intern_number(&f->sets, f->items.at, f->items.count);
}

/* The accesses of a transition itself. */
static future_id set_of_passage(struct futures *f, passage_id transition)
{
    uint32_t count;
    const uint64_t *steps = intern_words(&f->passages, transition, &count);

    f->moved.count = 0;
    for (uint32_t i = 0; i < count / PASSAGE_STEP_WORDS; i++) {
        struct passage_step step = step_at(steps, i);
        uint32_t place = f->moved.count;
        uint64_t item;

        if (step.what != PASSAGE_ACCESSES)
            continue;
        f->source.count = 0;
        source_add(f, step.to);
        source_pull(f, steps, i);
        item = item_of((uint32_t)step.from, source_number(f));
        vec_push(f->arena, &f->moved, item);
        for (; place > 0 && f->moved.at[place - 1] > item; place--)
            f->moved.at[place] = f->moved.at[place - 1];
        f->moved.at[place] = item;
    }
    return items_unite(f, f->moved.at, f->moved.count, NULL, 0);
}

/* Those of `after`, and those in `own`, which are of the transition itself. */
static future_id set_before(struct futures *f, passage_id transition, future_id own,
                            future_id after)
{
    uint32_t count;
    const uint64_t *items = intern_words(&f->sets, after, &count);

    f->moved.count = 0;
    vec_reserve(f->arena, &f->moved, count);
    for (uint32_t i = 0; i < count; i++)
        f->moved.at[f->moved.count++] =
            item_of(item_segment(items[i]), source_before(f, transition, item_source(items[i])));
    items = intern_words(&f->sets, own, &count);
    return items_unite(f, items, count, f->moved.at, f->moved.count);
}

/* ---- what the search asks */

static passage_id future_passed(void)
{
    struct futures *f = tables();
    passage_id transition;

    CHECK(detector.logs, "a transition was not logged");
    passage_complete();
    transition = intern_number(&f->passages, detector.log.steps.at, detector.log.steps.count);
    passage_clear();
    return transition;
}

static future_id future_before(passage_id transition, future_id after)
{
    struct futures *f = tables();
    uint64_t key = (uint64_t)transition << 32 | after;
    future_id set;

    if (transition == PASSAGE_NONE)
        return after;
    set = map_get(&f->before, key);
    if (set != MAP_ABSENT)
        return set;
    set = after == FUTURE_NONE
              ? set_of_passage(f, transition)
              : set_before(f, transition, future_before(transition, FUTURE_NONE), after);
    map_add(&f->before, key, set);
    return set;
}

static future_id future_either(future_id a, future_id b)
{
    struct futures *f = tables();
    uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    const uint64_t *in_a, *in_b;
    uint32_t count_a, count_b;
    future_id set;

    if (a == b || b == FUTURE_NONE)
        return a;
    if (a == FUTURE_NONE)
        return b;
    set = map_get(&f->either, key);
    if (set != MAP_ABSENT)
        return set;
    in_a = intern_words(&f->sets, a, &count_a);
    in_b = intern_words(&f->sets, b, &count_b);
    set = items_unite(f, in_a, count_a, in_b, count_b);
    map_add(&f->either, key, set);
    return set;
}

/* An item is checked like an access of somebody who knows all that its source knows. */
static bool item_is_ordered(const struct futures *f, uint64_t item)
{
    uint32_t count;
    const uint64_t *words = intern_words(&f->sources, item_source(item), &count);
    struct shadow_who who = {.clock = &detector.asked};

    clock_clear(&detector.space, &detector.asked);
    for (uint32_t i = 0; i < count; i++)
        sync_gather(words[i], &detector.asked);
    words = intern_words(&f->segments, item_segment(item), &count);
    for (uint32_t i = 0; i < count; i += 2) {
        struct passage_span span = {words[i], words[i + 1]};

        who.blocks = passage_way(&span) & PASSAGE_WAY_BORN;
        if (!shadow_is_ordered(&who, passage_addr(&span), span.end - span.at,
                               (enum shadow_kind)(passage_way(&span) % PASSAGE_WAY_BORN)))
            return false;
    }
    return true;
}

static bool future_ordered(future_id set)
{
    const struct futures *f = tables();
    uint32_t count;
    const uint64_t *items;

    if (set == FUTURE_NONE)
        return true;
    items = intern_words(&f->sets, set, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!item_is_ordered(f, items[i]))
            return false;
    return true;
}

/* ---- two threads that change places */

static holder holder_exchange(holder h, uint32_t a, uint32_t b)
{
    uint64_t number = holder_number(h), low = (uint32_t)number;
    uint64_t thread = holder_kind(h) == HOLDER_BUFFERED ? number >> 32 : number;
    uint64_t other = thread == a ? b : thread == b ? a : thread;

    switch (holder_kind(h)) {
    case HOLDER_NOW:
    case HOLDER_FENCED:
    case HOLDER_PENDING:
    case HOLDER_WOKEN:
        return HOLDER(holder_kind(h), other);
    case HOLDER_BUFFERED:
        return HOLDER(HOLDER_BUFFERED, other << 32 | low);
    default:
        return h;
    }
}

static int by_value(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

    return a < b ? -1 : a > b;
}

static uint32_t source_exchange(struct futures *f, uint32_t source, uint32_t a, uint32_t b)
{
    uint32_t count;
    const uint64_t *words = intern_words(&f->sources, source, &count);

    f->source.count = 0;
    for (uint32_t i = 0; i < count; i++)
        vec_push(f->arena, &f->source, holder_exchange(words[i], a, b));
    if (count > 1)
        qsort(f->source.at, count, sizeof *f->source.at, by_value);
    return intern_number(&f->sources, f->source.at, count);
}

/* Memory that belongs to one thread would be other memory then. */
static bool segment_stays(const struct futures *f, uint32_t segment, uint32_t a, uint32_t b)
{
    uint32_t count;
    const uint64_t *words = intern_words(&f->segments, segment, &count);

    for (uint32_t i = 0; i < count; i += 2) {
        struct passage_span span = {words[i], words[i + 1]};
        uint64_t at = passage_addr(&span) - detector.blocks.base;

        if (at < detector.blocks.size &&
            (at >> detector.blocks.shift == a || at >> detector.blocks.shift == b))
            return false;
    }
    return true;
}

static future_id future_swapped(future_id set, uint32_t a, uint32_t b)
{
    struct futures *f = tables();
    uint32_t count;

    if (set == FUTURE_NONE)
        return set;
    intern_words(&f->sets, set, &count);
    f->moved.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t item = intern_words(&f->sets, set, &count)[i];
        uint32_t segment = item_segment(item);

        if (!segment_stays(f, segment, a, b))
            return FUTURE_UNKNOWN;
        vec_push(f->arena, &f->moved,
                 (uint64_t)segment << 32 | source_exchange(f, item_source(item), a, b));
    }
    qsort(f->moved.at, count, sizeof *f->moved.at, by_value);
    return intern_number(&f->sets, f->moved.at, count);
}

static void future_begin(void)
{
    future_log(true);
}

const struct future_ops detect_future = {
    .passed = future_passed,
    .before = future_before,
    .either = future_either,
    .ordered = future_ordered,
    .swapped = future_swapped,
    .begin = future_begin,
    .bytes = future_bytes,
    .knowledge = knowledge_of_path,
};
