#include "detect/passage.h"

#include "base/check.h"
#include "detect/detect.h"

static struct passage_log *log_state(void)
{
    return &detector.log;
}

static void step_add(enum passage_what what, holder to, uint64_t from)
{
    struct passage_log *log = log_state();

    vec_reserve(&detector.arena, &log->steps, PASSAGE_STEP_WORDS);
    log->steps.at[log->steps.count++] = what;
    log->steps.at[log->steps.count++] = to;
    log->steps.at[log->steps.count++] = from;
}

/* ---- segments */

/* Shell's sort: most segments have a few spans, and those nearly in order. */
static void spans_sort(struct passage_span *spans, uint32_t count)
{
    uint32_t gap = 1;

    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (uint32_t i = gap; i < count; i++) {
            struct passage_span span = spans[i];
            uint32_t k = i;

            for (; k >= gap && spans[k - gap].at > span.at; k -= gap)
                spans[k] = spans[k - gap];
            spans[k] = span;
        }
}

/* Makes one of those that overlap or meet; they are sorted. */
static uint32_t spans_unite(struct passage_span *spans, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 1; i < count; i++) {
        if (spans[i].at > spans[kept].end)
            spans[++kept] = spans[i];
        else if (spans[i].end > spans[kept].end)
            spans[kept].end = spans[i].end;
    }
    return kept + 1;
}

static void segment_add(uint64_t at, uint64_t end)
{
    struct passage_log *log = log_state();

    if (at >= end)
        return;
    vec_push(&detector.arena, &log->segment, at);
    vec_push(&detector.arena, &log->segment, end);
}

/* A read, but for what is written besides: a write conflicts with all that a read does, and if it came first, the read may not have been
 * told. `writes`: those that end behind the read's start come first. */
static void segment_add_read(struct passage_span read, const struct passage_span *writes,
                             const struct passage_span *end)
{
    const uint64_t apart = (uint64_t)(SHADOW_WRITE - SHADOW_READ) << PASSAGE_WAY_SHIFT;

    for (; writes < end && writes->at - apart < read.end; writes++) {
        segment_add(read.at, writes->at - apart);
        read.at = writes->end - apart;
    }
    segment_add(read.at, read.end);
}

static void segment_make(struct passage_log *log)
{
    const uint64_t apart = (uint64_t)(SHADOW_WRITE - SHADOW_READ) << PASSAGE_WAY_SHIFT;
    const struct passage_span *spans = log->spans.at, *write = spans, *end;

    spans_sort(log->spans.at, log->spans.count);
    log->spans.count = spans_unite(log->spans.at, log->spans.count);
    end = spans + log->spans.count;
    log->segment.count = 0;
    for (const struct passage_span *span = spans; span < end; span++) {
        if (passage_way(span) % PASSAGE_WAY_BORN != SHADOW_READ) {
            segment_add(span->at, span->end);
            continue;
        }
        while (write < end && (write->at < span->at + apart - passage_addr(span) ||
                               write->end - apart <= span->at))
            write++;
        segment_add_read(*span, write, end);
    }
}

static void segment_end(void)
{
    struct passage_log *log = log_state();
    uint32_t number;

    if (log->spans.count == 0)
        return;
    segment_make(log);
    number = intern_number(&detector.futures->segments, log->segment.at, log->segment.count);
    step_add(PASSAGE_ACCESSES, HOLDER(HOLDER_NOW, log->thread), number);
    log->spans.count = 0;
    for (unsigned i = 0; i < PASSAGE_WAYS; i++)
        log->newest[i] = 0;
}

void passage_accesses(uint32_t thread, uint64_t addr, size_t size, enum shadow_kind kind, bool born)
{
    const uint64_t limit = (uint64_t)1 << SHADOW_ADDRESS_BITS;
    struct passage_log *log = log_state();
    uint64_t way = kind | (born ? PASSAGE_WAY_BORN : 0), end;
    struct passage_span *newest;

    if (addr >= limit || size == 0)
        return; /* no program's: the detector remembers nothing of it */
    end = size > limit - addr ? limit : addr + size;
    if (log->thread != thread)
        segment_end();
    log->thread = thread;
    addr |= way << PASSAGE_WAY_SHIFT;
    end |= way << PASSAGE_WAY_SHIFT;
    newest = log->newest[way] ? &log->spans.at[log->newest[way] - 1] : NULL;
    if (newest && addr <= newest->end && end >= newest->at) {
        newest->at = addr < newest->at ? addr : newest->at;
        newest->end = end > newest->end ? end : newest->end;
        return;
    }
    vec_push(&detector.arena, &log->spans, (struct passage_span){addr, end});
    log->newest[way] = log->spans.count;
}

/* ---- clocks */

/* As long as its thread learns nothing, an access may as well come later: what is known before it is the same. */
static void clock_changes(enum passage_what what, holder to, holder from)
{
    if (to == HOLDER(HOLDER_NOW, log_state()->thread))
        segment_end();
    if (holder_bytes(to))
        step_add(what, to, from);
}

void passage_learns(holder to, holder from)
{
    if (holder_bytes(from))
        clock_changes(PASSAGE_LEARNS, to, from);
}

void passage_becomes(holder to, holder from)
{
    clock_changes(PASSAGE_BECOMES, to, from);
}

void passage_clear(void)
{
    struct passage_log *log = log_state();

    log->steps.count = log->spans.count = 0;
    for (unsigned i = 0; i < PASSAGE_WAYS; i++)
        log->newest[i] = 0;
}

void passage_complete(void)
{
    segment_end();
}
