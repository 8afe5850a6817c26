#include "trace/about.h"

#include <inttypes.h>
#include <string.h>

#include "base/place.h"
#include "base/text.h"
#include "trace/lanes.h"
#include "trace/words.h"

#define SOURCE_BEFORE 3 /* lines of source before and after the place of the bug */
#define SOURCE_AFTER  2
#define STACK_SHOWN   12 /* callers */

/* One rendering. */
struct about {
    const struct trace *trace;
    struct pen *pen;
    uint32_t width;
};

static void paragraph(const struct about *a, uint32_t indent, uint32_t colour, const char *text)
{
    pen_paragraph(a->pen, indent, colour, text, a->width);
}

/* ---- the bug */

static void print_callers(const struct about *a, uint32_t stack)
{
    char place[WORDS_MAX], line[2 * WORDS_MAX];

    for (int i = 0; stack && i < STACK_SHOWN; i++) {
        const struct trace_frame *frame = &a->trace->frames.at[stack - 1];

        if (place_is_of_system(frame->site.file, frame->site.function, frame->site.line)) {
            stack = frame->up;
            continue;
        }
        words_place(&frame->site, false, place, sizeof place);
        snprintf(line, sizeof line, "called by %.*s%s%s", WORDS_MAX / 2,
                 frame->site.function ? frame->site.function : "?", *place ? " at " : "", place);
        paragraph(a, 4, PEN_PLAIN, line);
        stack = frame->up;
    }
    if (stack)
        paragraph(a, 4, PEN_PLAIN, "and so on");
}

/* " 30 > text": one line of source, never wrapped. */
static void print_source_line(const struct about *a, uint32_t number, const char *text, bool here)
{
    char left[32];

    pen_move(a->pen, 2);
    pen_colour(a->pen, here ? PEN_ALARM : PEN_DIM);
    snprintf(left, sizeof left, "%5" PRIu32, number);
    pen_text(a->pen, left, 12);
    pen_move(a->pen, a->pen->column + 1);
    if (here)
        pen_sign(a->pen, "▸", ">");
    else
        pen_sign(a->pen, "│", "|");
    pen_move(a->pen, a->pen->column + 1);
    pen_colour(a->pen, here ? PEN_BOLD : PEN_PLAIN);
    for (; *text == '\t'; text++)
        pen_move(a->pen, a->pen->column + 4);
    pen_text(a->pen, text, a->pen->column < a->width ? a->width - a->pen->column : 0);
    pen_newline(a->pen);
}

static void print_source(const struct about *a, const struct trace_site *site, uint32_t before,
                         uint32_t after)
{
    uint32_t first = site->line > before ? site->line - before : 1;
    uint32_t last = site->line < UINT32_MAX - after ? site->line + after : site->line;

    if (!site->file || !trace_line(a->trace, site->file, site->line))
        return;
    for (uint32_t number = first; number <= last && number >= first; number++) {
        const char *text = trace_line(a->trace, site->file, number);

        if (text)
            print_source_line(a, number, text, number == site->line);
    }
    pen_colour(a->pen, PEN_PLAIN);
}

static void print_bug(const struct about *a)
{
    const struct trace_bug *bug = &a->trace->bug;
    char place[WORDS_MAX], thread[WORDS_MAX], line[3 * WORDS_MAX];

    snprintf(line, sizeof line, "%s: %s", bug->kind, bug->message);
    paragraph(a, 0, PEN_ALARM, line);
    if (a->trace->waits.count)
        return; /* the rest is told thread by thread */
    words_thread(a->trace, bug->thread, thread, sizeof thread);
    words_place(&bug->site, false, place, sizeof place);
    snprintf(line, sizeof line, "in %s%s%s%s%.*s", thread, *place ? " at " : "", place,
             bug->site.function ? " in " : "", WORDS_MAX / 2,
             bug->site.function ? bug->site.function : "");
    paragraph(a, 2, PEN_PLAIN, line);
    print_callers(a, bug->stack);
    for (uint32_t i = 0; i < bug->details.count; i++)
        paragraph(a, 2, PEN_PLAIN, bug->details.at[i]);
    print_source(a, &bug->site, SOURCE_BEFORE, SOURCE_AFTER);
}

/* ---- the two accesses of a race */

static void print_side(const struct about *a, const struct trace_side *side)
{
    char thread[WORDS_MAX], place[WORDS_MAX], line[4 * WORDS_MAX];
    struct text text = text_open(line, sizeof line);

    words_place(&side->site, false, place, sizeof place);
    text_add(&text, "%s: %s%s%s, holding ",
             words_thread(a->trace, side->thread, thread, sizeof thread), side->what,
             *place ? " at " : "", place);
    for (uint32_t i = 0; i < side->locks.count; i++)
        text_add(&text, "%s%s", i ? ", " : "", side->locks.at[i]);
    text_add(&text, "%s", side->locks.count ? "" : "no lock");
    if (side->step)
        text_add(&text, " (step %" PRIu32 ")", side->step);
    paragraph(a, 2, PEN_THREAD + side->thread, line);
    print_callers(a, side->stack);
    print_source(a, &side->site, 1, 1);
}

/* The details begin with both accesses and their stacks, which are told here, and end with who created whom, which is told below. */
static bool detail_is_told(const char *detail, uint32_t *groups)
{
    bool deep = strncmp(detail, "    ", 4) == 0;

    *groups += !deep;
    return *groups <= 2 || deep || strstr(detail, " was created by ");
}

static void print_race(const struct about *a)
{
    const struct trace_bug *bug = &a->trace->bug;
    uint32_t groups = 0;
    char line[3 * WORDS_MAX];
    size_t length;

    snprintf(line, sizeof line, "%s: %s", bug->kind, bug->message);
    paragraph(a, 0, PEN_ALARM, line);
    for (uint32_t i = 0; i < a->trace->sides.count; i++)
        print_side(a, &a->trace->sides.at[i]);
    for (uint32_t i = 0; i < bug->details.count; i++) {
        const char *detail = bug->details.at[i];

        if (detail_is_told(detail, &groups))
            continue;
        detail += strspn(detail, " ");
        length = strlen(detail);
        snprintf(line, sizeof line, "%.*s",
                 (int)(length && detail[length - 1] == ':' ? length - 1 : length),
                 detail); /* without the stack that follows */
        paragraph(a, 2, PEN_PLAIN, line);
    }
}

/* ---- who waits for whom */

/* The wait of a thread, or NULL if it is not stuck. */
static const struct trace_wait *wait_of(const struct trace *trace, uint32_t thread)
{
    for (uint32_t i = 0; i < trace->waits.count; i++)
        if (trace->waits.at[i].thread == thread)
            return &trace->waits.at[i];
    return NULL;
}

/* Whether following `on` from the thread leads back to it. */
static bool wait_is_circle(const struct trace *trace, uint32_t thread)
{
    const struct trace_wait *wait = wait_of(trace, thread);

    for (uint32_t i = 0; wait && wait->on && i <= trace->waits.count; i++) {
        if (wait->on - 1 == thread)
            return true;
        wait = wait_of(trace, wait->on - 1);
    }
    return false;
}

bool about_circle(const struct trace *trace, char *buffer, size_t size)
{
    struct text text = text_open(buffer, size);
    uint32_t i = 0, thread;

    while (i < trace->waits.count && !wait_is_circle(trace, trace->waits.at[i].thread))
        i++;
    if (i == trace->waits.count)
        return false;
    thread = trace->waits.at[i].thread;
    text_add(&text, "a cycle: T%" PRIu32, thread);
    do {
        thread = wait_of(trace, thread)->on - 1;
        text_add(&text, " waits for T%" PRIu32 "%s", thread,
                 thread == trace->waits.at[i].thread ? "" : ", which");
    } while (thread != trace->waits.at[i].thread);
    return true;
}

static void print_waits(const struct about *a)
{
    char place[WORDS_MAX], thread[WORDS_MAX], line[4 * WORDS_MAX];

    if (!a->trace->waits.count)
        return;
    if (about_circle(a->trace, line, sizeof line))
        paragraph(a, 2, PEN_BOLD, line);
    for (uint32_t i = 0; i < a->trace->waits.count; i++) {
        const struct trace_wait *wait = &a->trace->waits.at[i];

        words_thread(a->trace, wait->thread, thread, sizeof thread);
        words_place(&wait->site, false, place, sizeof place);
        snprintf(line, sizeof line, "%s waits for %.*s%s%s", thread, WORDS_MAX, wait->text,
                 *place ? ", at " : "", place);
        paragraph(a, 2, PEN_THREAD + wait->thread, line);
        print_callers(a, wait->stack);
        print_source(a, &wait->site, 1, 1);
    }
}

/* ---- the run */

static void print_program(const struct about *a)
{
    const struct trace *trace = a->trace;
    const char *newer = trace_option(trace, "newer-source");
    char line[4 * WORDS_MAX];
    size_t used;

    used = (size_t)snprintf(line, sizeof line, "program: %s", trace->program);
    for (uint32_t i = 0; i < trace->arguments.count && used < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", trace->arguments.at[i]);
    paragraph(a, 0, PEN_PLAIN, line);
    used = (size_t)snprintf(line, sizeof line, "model:   %.100s", trace->model);
    if (trace->buffer_bound != TRACE_UNBOUNDED)
        snprintf(line + used, sizeof line - used, ", buffers of %" PRIu32, trace->buffer_bound);
    paragraph(a, 0, PEN_PLAIN, line);
    if (!newer)
        return;
    snprintf(line, sizeof line,
             "note:    %s is newer than the program: its lines may not be those that ran", newer);
    paragraph(a, 0, PEN_PLAIN, line);
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void print_counts(const struct about *a, uint32_t threads)
{
    uint32_t steps = a->trace->steps.count;
    uint32_t switches = words_context_switches(a->trace);
    char line[200];

    snprintf(line, sizeof line,
             "run:     %" PRIu32 " step%s, %" PRIu32 " thread%s, %" PRIu32 " context switch%s",
             steps, plural(steps), threads, plural(threads), switches, switches == 1 ? "" : "es");
    paragraph(a, 0, PEN_PLAIN, line);
}

/* Who the threads are. */
static void print_threads(const struct about *a, const uint32_t *lane_of)
{
    char place[WORDS_MAX], thread[WORDS_MAX], line[3 * WORDS_MAX];

    for (uint32_t i = 1; i < a->trace->threads.count; i++) {
        const struct trace_thread *t = &a->trace->threads.at[i];

        if (lane_of[i] == LANES_NONE)
            continue;
        words_thread(a->trace, i, thread, sizeof thread);
        words_place(&t->created, false, place, sizeof place);
        snprintf(line, sizeof line, "%s was created by T%" PRIu32 "%s%s", thread, t->parent,
                 *place ? " at " : "", place);
        paragraph(a, 2, PEN_THREAD + i, line);
    }
}

void about_print(const struct trace *trace, struct pen *pen, uint32_t width,
                 const struct about_run *run)
{
    struct about a = {trace, pen, width};

    if (trace->sides.count)
        print_race(&a);
    else
        print_bug(&a);
    print_waits(&a);
    pen_newline(pen);
    print_program(&a);
    print_counts(&a, run->threads);
    if (run->shown)
        paragraph(&a, 0, PEN_PLAIN, run->shown);
    print_threads(&a, run->lane_of);
}
