#include "runtime/hooks.h"

#include <stdbool.h>

#include "detect/detect.h"
#include "runtime/core/guard.h"
#include "runtime/core/image.h"
#include "runtime/hooks/plain.h"
#include "runtime/hooks/written.h"
#include "runtime/program/native.h"
#include "runtime/program/rounds.h"
#include "runtime/program/spin.h"

/* Loops whose plain accesses are known before they begin (instrument/span.c). If all of them are fine, and nobody races with them, they
 * are told at once, and the loop runs without hooks. Else nothing has happened, and the loop with hooks tells each as ever. In a run in which each
 * access is to be seen the same is decided, so that the detector knows the same; then the loop with hooks runs all the same.
 *
 * Other accesses in the loop are told as ever, behind these. The thread must not give way in one of them: what was told must be done before
 * anybody else runs. It would only where accesses were declared to be visible. */

#define HOOK __attribute__((visibility("default")))

#define TRIPS_MIN 8 /* rounds: for less the checks of the loop itself cost no more */

static struct {
    bool declined;
    uint64_t trips; /* or HOOK_TRIPS_UNKNOWN */
    uint32_t count, glances;
    bool
        unsure; /* how often it goes round: a glance has failed, or a value does not go on evenly */
    struct detect_span at[HOOK_SPANS_MAX];
    struct {
        uint64_t at, size;
    } glance[HOOK_GLANCES_MAX];
} spans; /* outlives a run: nothing of it is used behind the loop, in which nobody else runs */

/* ---- memory that can be accessed, if nobody takes it away */

#define EXTENTS_MAX 16

static struct {
    struct {
        uintptr_t low, high;
    } at[EXTENTS_MAX]; /* that were asked for */
    uint32_t count;
} extents; /* outlives a run: variables stay where they are */

static bool is_in_image(uintptr_t at, size_t size)
{
    uintptr_t low, high;

    for (uint32_t i = 0; i < extents.count; i++)
        if (at >= extents.at[i].low && at < extents.at[i].high)
            return size <= extents.at[i].high - at;
    if (!image_extent(at, &low, &high))
        return false;
    if (extents.count < EXTENTS_MAX) {
        extents.at[extents.count].low = low;
        extents.at[extents.count++].high = high;
    }
    return size <= high - at;
}

/* Of one live block, of the running thread's stack, or of variables of the program: nothing to tell of, and no fault. */
static bool is_there(uintptr_t at, size_t size)
{
    const struct native_thread *thread = native.current;

    if (size >> SHADOW_ADDRESS_BITS || at >> SHADOW_ADDRESS_BITS)
        return false;
    if (at - HEAP_BASE < HEAP_SPAN)
        return guard_allows((const void *)at, size);
    if (at - STACK_BASE < STACK_SPAN)
        return at - (uintptr_t)thread->stack.low < thread->stack.size &&
               size <= thread->stack.size - (at - (uintptr_t)thread->stack.low);
    return is_in_image(at, size);
}

/* ---- what the code says */

HOOK void __raddle_span_begin(uint32_t how)
{
    const struct native_thread *thread = native.current;

    spans.count = spans.glances = 0;
    spans.trips = HOOK_TRIPS_UNKNOWN;
    spans.unsure = false;
    spans.declined = !thread || thread->sections || thread->handlers || !native.detects ||
                     plain.spent || plain.unmapped ||
                     (how & HOOK_SPAN_REST && detector.shadow.any_exposed);
}

HOOK uint64_t __raddle_glance(const void *p, uint32_t size)
{
    uint64_t value = 0;

    if (spans.declined || spans.glances == HOOK_GLANCES_MAX || !is_there((uintptr_t)p, size)) {
        spans.declined = spans.unsure = true;
        return 0;
    }
    spans.glance[spans.glances].at = (uint64_t)(uintptr_t)p;
    spans.glance[spans.glances++].size = size;
    __builtin_memcpy(&value, p, size);
    return value;
}

/* How many steps go into that, rounded up. Most are of 1, and to divide such wide numbers costs more than a short loop. */
static __int128 steps_in(__int128 way, __int128 step)
{
    if (step == 1)
        return way;
    if (way <= UINT32_MAX && step <= UINT32_MAX)
        return ((uint64_t)way + (uint64_t)step - 1) / (uint64_t)step;
    return (way + step - 1) / step;
}

/* How often a value that goes on by `step` from `from` on is on that side of the bound, which it must not jump over by wrapping round. */
static __int128 rounds_up_to(__int128 from, __int128 bound, __int128 step)
{
    return from >= bound ? 0 : steps_in(bound - from, step);
}

/* How many steps lead just there; -1: none do. */
static __int128 rounds_just_to(__int128 from, __int128 bound, __int128 step)
{
    __int128 way = step < 0 ? from - bound : bound - from, size = step < 0 ? -step : step, steps;

    if (step == 0 || way < 0)
        return -1;
    steps = steps_in(way, size);
    return steps * size == way ? steps : -1;
}

static __int128 widened(uint64_t value, bool is_signed)
{
    return is_signed ? (__int128)(int64_t)value : (__int128)value;
}

/* -1: not known. */
static __int128 trips_of(__int128 from, __int128 bound, __int128 step, uint32_t how)
{
    switch ((enum hook_trips)(how & HOOK_TRIPS_MASK)) {
    case HOOK_TRIPS_LESS:
        return step > 0 ? rounds_up_to(from, bound, step) : -1;
    case HOOK_TRIPS_LESS_EQUAL:
        return step > 0 ? rounds_up_to(from, bound + 1, step) : -1;
    case HOOK_TRIPS_GREATER:
        return step < 0 ? rounds_up_to(-from, -bound, -step) : -1;
    case HOOK_TRIPS_GREATER_EQUAL:
        return step < 0 ? rounds_up_to(-from, -bound + 1, -step) : -1;
    case HOOK_TRIPS_OTHER:
        return rounds_just_to(from, bound, step);
    }
    return -1;
}

HOOK uint64_t __raddle_trips(uint64_t first, uint64_t second, uint64_t bound, uint32_t how)
{
    unsigned width = how >> HOOK_TRIPS_WIDTH;
    bool is_signed = how & HOOK_TRIPS_SIGNED;
    __int128 from = widened(first, is_signed), trips, last;
    __int128 limit = (__int128)1 << (width - is_signed);
    __int128 step = (int64_t)((second - first) << (64 - width)) >> (64 - width);

    trips = trips_of(from, widened(bound, is_signed), step, how);
    last = from + trips * step;
    if (trips < 0 || trips > HOOK_TRIPS_MAX || last >= limit || last < (is_signed ? -limit : 0)) {
        spans.declined = true;
        return spans.trips = HOOK_TRIPS_UNKNOWN;
    }
    spans.trips = (uint64_t)trips;
    return spans.trips;
}

HOOK void __raddle_even(uint64_t first, uint64_t second, uint64_t last, uint32_t more)
{
    if (last - first != (spans.trips + more - 1) * (second - first))
        spans.declined = spans.unsure = true;
}

HOOK void __raddle_span(const void *first, const void *second, uint32_t size, uint32_t how)
{
    struct detect_span *span = &spans.at[spans.count];

    if (spans.declined)
        return;
    *span = (struct detect_span){.first = (uint64_t)(uintptr_t)first,
                                 .stride = (int64_t)((uintptr_t)second - (uintptr_t)first),
                                 .count = spans.trips + (how & HOOK_SPAN_MORE ? 1 : 0),
                                 .size = size,
                                 .writes = how & HOOK_SPAN_WRITES};
    spans.count++;
}

/* ---- the decision */

static bool overlaps_glance(const struct detect_span *span)
{
    uint64_t low = detect_span_low(span), bytes = detect_span_bytes(span);

    for (uint32_t i = 0; span->writes && i < spans.glances; i++)
        if (low < spans.glance[i].at + spans.glance[i].size && spans.glance[i].at < low + bytes)
            return true;
    return false;
}

/* It is less than the address space: computing where it ends does not overflow. */
static bool has_bounds(const struct detect_span *span)
{
    return span->stride <= HOOK_STRIDE_MAX && span->stride >= -HOOK_STRIDE_MAX;
}

static bool is_fine(const struct detect_span *span)
{
    uint64_t low, bytes;

    if (!has_bounds(span))
        return false;
    low = detect_span_low(span);
    bytes = detect_span_bytes(span);
    return is_there(low, bytes) && !overlaps_glance(span) && !detect_is_exposed(low, bytes);
}

/* Those that the detector is to be told of come first then. */
static uint32_t direct_last(void)
{
    uint32_t told = 0;

    for (uint32_t i = 0; i < spans.count; i++)
        if (!native_direct((const void *)(uintptr_t)spans.at[i].first)) {
            struct detect_span span = spans.at[i];

            spans.at[i] = spans.at[told];
            spans.at[told++] = span;
        }
    return told;
}

/* As the hooks of each access would: what the detector knew was noted when it was told. */
static void span_note(const struct detect_span *span, bool direct)
{
    uint64_t low = detect_span_low(span), bytes = detect_span_bytes(span);

    if (!span->writes) {
        if (!direct && !span->known)
            rounds_plain_read();
        return;
    }
    if (direct) {
        rounds_scribble();
        written_note((const void *)(uintptr_t)low, bytes);
        return;
    }
    spin_wrote();
    if (span->known)
        return;
    rounds_plain_write(low, bytes);
    written_note((const void *)(uintptr_t)low, bytes);
}

/* Whether what the number of rounds was computed from stays so. */
static bool is_counted(void)
{
    if (spans.trips == HOOK_TRIPS_UNKNOWN || spans.unsure)
        return false;
    if (spans.glances == 0)
        return true;
    for (uint32_t i = 0; i < spans.count; i++)
        if (!has_bounds(&spans.at[i]) || overlaps_glance(&spans.at[i]))
            return false;
    return !spans.declined; /* else not all that it writes is known */
}

static bool is_bare(void)
{
    uint32_t told;

    if (spans.declined || spans.trips < TRIPS_MIN)
        return false;
    for (uint32_t i = 0; i < spans.count; i++)
        if (!is_fine(&spans.at[i]))
            return false;
    told = direct_last();
    if (!detect_spans(spans.at, told))
        return false;
    for (uint32_t i = 0; i < spans.count; i++)
        span_note(&spans.at[i], i >= told);
    plain.spanned = plain.watched;
    return !plain.watched;
}

HOOK uint32_t __raddle_bare(void)
{
    if (is_bare())
        return HOOK_BARE;
    return is_counted() ? HOOK_BARE_COUNTED : HOOK_BARE_NOT;
}

static bool span_covers(const struct detect_span *span, uint64_t addr, size_t size)
{
    uint64_t offset = addr - detect_span_low(span), bytes = detect_span_bytes(span);
    uint64_t stride = span->stride < 0 ? -(uint64_t)span->stride : (uint64_t)span->stride;

    if (offset >= bytes || size > bytes - offset)
        return false;
    return stride <= span->size || offset % stride + size <= span->size;
}

bool spans_told(uint64_t addr, size_t size, bool writes)
{
    for (uint32_t i = 0; plain.spanned && i < spans.count; i++)
        if (spans.at[i].writes >= writes && span_covers(&spans.at[i], addr, size))
            return true;
    return false;
}

HOOK void __raddle_span_end(void)
{
    plain.spanned = false;
}
