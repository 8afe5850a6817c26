#include "trace/lanes.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "trace/about.h"
#include "trace/matter.h"
#include "trace/pen.h"
#include "trace/words.h"

#define WIDTH_MIN     40
#define PLACE_MIN     12
#define MARK_COLUMNS  2                   /* a sign and a space before the text of a cell */
#define LANE_MIN      (MARK_COLUMNS + 12) /* narrower cells say nothing */
#define WAIT_MAX      256
#define LINES_MAX     6 /* of one cell */
#define GAP           3 /* " | " before each lane and before the place */
#define ARENA_RESERVE ((size_t)1 << 36)

struct lane {
    uint32_t thread;
    uint32_t cells;   /* columns that its longest cell takes */
    uint32_t natural; /* the same for its cells and its name */
    uint32_t width;
};

/* One rendering. */
struct lanes {
    const struct trace *trace;
    struct pen pen;
    struct arena arena;
    uint32_t width;
    uint32_t *link; /* words_link_flushes */
    bool brief;
    bool *shown;      /* by step */
    uint32_t count;   /* of those */
    uint32_t start;   /* steps that come before other threads run; 0: all are shown */
    uint32_t failing; /* number of the step that is the bug itself, if it needs no row of its own */
    uint32_t *lane_of; /* thread -> index into `lanes`, or LANES_NONE */
    VEC(struct lane) lanes;
    uint32_t number_width, place_width;
    bool folded;
    char buffer[WORDS_MAX];
};

/* One row: a step, or the bug at the end. */
struct row {
    uint32_t number; /* 0: none */
    uint32_t lane;
    const char *unicode_mark, *ascii_mark;
    uint32_t colour;
    const char *text;
    const struct trace_site *site;
};

/* ---- layout */

static uint32_t digits_of(uint32_t number)
{
    uint32_t digits = 1;

    for (; number > 9; number /= 10)
        digits++;
    return digits;
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* A flush with a number needs no word for it: its mark says what it is. */
static const char *step_words(struct lanes *l, uint32_t step)
{
    const char *text = words_step(l->trace, step, l->link[step], l->buffer, sizeof l->buffer);

    return l->link[step] ? text + strlen("flush ") : text;
}

/* Lanes in the order of threads, for those that do something or that have the bug. */
static void lanes_find(struct lanes *l)
{
    const struct trace *trace = l->trace;

    l->lane_of = arena_alloc(&l->arena, trace->threads.count * sizeof *l->lane_of);
    for (uint32_t i = 0; i < trace->threads.count; i++)
        l->lane_of[i] = LANES_NONE;
    l->lane_of[trace->bug.thread] = 0;
    for (uint32_t i = 0; i < trace->steps.count; i++)
        if (l->shown[i])
            l->lane_of[trace->steps.at[i].thread] = 0;
    for (uint32_t i = 0; i < trace->waits.count; i++)
        l->lane_of[trace->waits.at[i].thread] = 0;
    for (uint32_t i = 0; i < trace->threads.count; i++) {
        if (l->lane_of[i] == LANES_NONE)
            continue;
        l->lane_of[i] = l->lanes.count;
        words_thread(trace, i, l->buffer, sizeof l->buffer);
        vec_push(&l->arena, &l->lanes,
                 (struct lane){.thread = i, .natural = pen_columns(&l->pen, l->buffer)});
    }
}

/* Threads that do something, wait, or have the bug. */
static uint32_t threads_count(struct lanes *l)
{
    const struct trace *trace = l->trace;
    uint32_t count = 0;
    bool *there = arena_alloc(&l->arena, trace->threads.count);

    memset(there, 0, trace->threads.count);
    there[trace->bug.thread] = true;
    for (uint32_t i = 0; i < trace->steps.count; i++)
        there[trace->steps.at[i].thread] = true;
    for (uint32_t i = 0; i < trace->waits.count; i++)
        there[trace->waits.at[i].thread] = true;
    for (uint32_t i = 0; i < trace->threads.count; i++)
        count += there[i];
    return count;
}

/* Makes room for a text and a place in the lane of a thread. */
static void lanes_fit(struct lanes *l, uint32_t thread, const char *text,
                      const struct trace_site *site)
{
    struct lane *lane = &l->lanes.at[l->lane_of[thread]];

    lane->cells = max_u32(lane->cells, MARK_COLUMNS + pen_columns(&l->pen, text));
    lane->natural = max_u32(lane->natural, lane->cells);
    words_place(site, true, l->buffer, sizeof l->buffer);
    l->place_width = max_u32(l->place_width, pen_columns(&l->pen, l->buffer));
}

/* The first words are enough: who holds it stands above. */
static const char *wait_words(const struct trace_wait *wait, char buffer[WAIT_MAX])
{
    snprintf(buffer, WAIT_MAX, "waits: %.*s", (int)strcspn(wait->text, ","), wait->text);
    return buffer;
}

static void lanes_measure(struct lanes *l)
{
    const struct trace *trace = l->trace;
    char words[WAIT_MAX];

    for (uint32_t i = 0; i < trace->steps.count; i++)
        if (l->shown[i])
            lanes_fit(l, trace->steps.at[i].thread, step_words(l, i), &trace->steps.at[i].site);
    for (uint32_t i = 0; i < trace->waits.count; i++)
        lanes_fit(l, trace->waits.at[i].thread, wait_words(&trace->waits.at[i], words),
                  &trace->waits.at[i].site);
    lanes_fit(l, trace->bug.thread, trace->bug.kind, &trace->bug.site);
    l->place_width = min_u32(l->place_width, max_u32(PLACE_MIN, l->width / 4));
    l->number_width = max_u32(2, digits_of(trace->steps.count));
}

/* Columns for all lanes together, beside the numbers, the places and the gaps; 0 if none are left.
 * */
static uint32_t lanes_room(const struct lanes *l)
{
    uint64_t fixed = l->number_width + (l->place_width ? GAP + l->place_width : 0) +
                     (uint64_t)GAP * l->lanes.count;

    return fixed < l->width ? l->width - (uint32_t)fixed : 0;
}

/* A lane that needs less than its fair share gets what it needs, and the others share the rest.
 * Each round settles one at least, so there are few. */
static void lanes_share(struct lanes *l)
{
    uint32_t room = lanes_room(l), open = l->lanes.count;
    bool changed = true;

    while (changed && open) {
        uint32_t share = room / open;

        changed = false;
        for (uint32_t i = 0; i < l->lanes.count; i++) {
            struct lane *lane = &l->lanes.at[i];

            if (lane->width || lane->natural > share)
                continue;
            lane->width = lane->natural;
            room -= lane->width;
            open--;
            changed = true;
        }
    }
    for (uint32_t i = 0; i < l->lanes.count && open; i++) {
        if (l->lanes.at[i].width)
            continue;
        l->lanes.at[i].width = room / open;
        room -= l->lanes.at[i].width;
        open--;
    }
}

/* The least that lets one read the cells; names may be cut. */
static uint64_t lanes_need(const struct lanes *l)
{
    uint64_t need = 0;

    for (uint32_t i = 0; i < l->lanes.count; i++)
        need += min_u32(l->lanes.at[i].cells, LANE_MIN);
    return need;
}

/* Whether cells would take so many lines that one column for all is easier to read. */
static bool is_crowded(struct lanes *l)
{
    uint32_t rows = 0, lines = 0;

    for (uint32_t i = 0; i < l->trace->steps.count; i++) {
        uint32_t width =
            l->shown[i] ? l->lanes.at[l->lane_of[l->trace->steps.at[i].thread]].width : 0;

        if (!l->shown[i])
            continue;
        rows++;
        lines += 1 + pen_columns(&l->pen, step_words(l, i)) /
                         (max_u32(width, MARK_COLUMNS + 1) - MARK_COLUMNS + 1);
    }
    return lines > rows + rows / 2 + 4;
}

/* A failed assertion and a crash are steps, the last ones; the number, or 0. */
static uint32_t failing_step(const struct trace *trace)
{
    const struct trace_step *last = trace->steps.count ? &vec_last(&trace->steps) : NULL;

    return last && last->thread == trace->bug.thread &&
                   (last->op == OP_ASSERT || last->op == OP_CRASH)
               ? trace->steps.count
               : 0;
}

/* Which steps are shown. */
static void lanes_choose(struct lanes *l)
{
    struct matter matter;

    if (l->brief) {
        matter = matter_find(l->trace, &l->arena);
        l->shown = matter.shown;
        l->count = matter.count;
        l->start = matter.start;
        l->failing = failing_step(l->trace);
        return;
    }
    l->count = l->trace->steps.count;
    l->shown = arena_alloc(&l->arena, l->count + 1);
    memset(l->shown, 1, l->count + 1);
}

static int lanes_open(struct lanes *l, const struct trace *trace, const struct lanes_style *style,
                      FILE *out)
{
    *l = (struct lanes){.trace = trace,
                        .width = max_u32(style->width, WIDTH_MIN),
                        .brief = style->brief,
                        .pen = {.out = out, .unicode = style->unicode, .colour = style->colour}};
    if (arena_open(&l->arena, ARENA_RESERVE) != 0)
        return -1;
    l->link = words_link_flushes(trace, &l->arena);
    lanes_choose(l);
    lanes_find(l);
    lanes_measure(l);
    l->folded = lanes_need(l) > lanes_room(l);
    if (!l->folded)
        lanes_share(l);
    if (!l->folded && is_crowded(l))
        l->folded = true;
    return 0;
}

/* ---- rows */

static void print_gap(struct lanes *l)
{
    pen_colour(&l->pen, PEN_DIM);
    pen_move(&l->pen, l->pen.column + 1);
    pen_sign(&l->pen, "│", "|");
    pen_move(&l->pen, l->pen.column + 1);
}

static void print_number(struct lanes *l, uint32_t number)
{
    char text[16] = "";

    if (number)
        snprintf(text, sizeof text, "%" PRIu32, number);
    pen_colour(&l->pen, PEN_DIM);
    pen_move(&l->pen, l->number_width - (uint32_t)strlen(text));
    pen_text(&l->pen, text, l->number_width);
}

static void print_place(struct lanes *l, const struct trace_site *site)
{
    char place[WORDS_MAX];

    pen_colour(&l->pen, PEN_DIM);
    pen_tail(&l->pen, words_place(site, true, place, sizeof place), l->place_width);
}

static void print_mark(struct lanes *l, const struct row *row)
{
    pen_colour(&l->pen, row->colour);
    if (row->ascii_mark)
        pen_sign(&l->pen, row->unicode_mark, row->ascii_mark);
}

/* What of a cell stands in one of its lines. Returns the rest: "" if that is all. */
static const char *print_cell(struct lanes *l, const struct row *row, const char *text,
                              uint32_t line)
{
    uint32_t start = l->pen.column, indent = MARK_COLUMNS + (line ? 2 : 0);
    uint32_t columns = l->lanes.at[row->lane].width - indent;

    if (line == 0)
        print_mark(l, row);
    pen_colour(&l->pen, row->colour);
    pen_move(&l->pen, start + indent);
    if (line + 1 < LINES_MAX)
        return pen_part(&l->pen, text, columns);
    pen_text(&l->pen, text, columns);
    return "";
}

static void print_row(struct lanes *l, const struct row *row)
{
    const char *text = row->text;

    for (uint32_t line = 0; line == 0 || *text; line++) {
        print_number(l, line ? 0 : row->number);
        for (uint32_t i = 0; i < l->lanes.count; i++) {
            uint32_t start;

            print_gap(l);
            start = l->pen.column;
            if (i == row->lane)
                text = print_cell(l, row, text, line);
            pen_move(&l->pen, start + l->lanes.at[i].width);
        }
        if (l->place_width) {
            print_gap(l);
            print_place(l, line ? &(struct trace_site){0} : row->site);
        }
        pen_newline(&l->pen);
    }
}

/* "12 > T7     load x -> 0   queue.c:33": the deeper, the higher the number of the lane. */
static void print_folded_row(struct lanes *l, const struct row *row)
{
    uint32_t names = 1 + digits_of(l->lanes.at[l->lanes.count - 1].thread);
    uint32_t depths = min_u32(l->lanes.count, l->width / 4);
    uint32_t depth = (uint32_t)((uint64_t)row->lane * depths / l->lanes.count);
    uint32_t stop = l->width - (l->place_width ? 2 + l->place_width : 0);
    uint32_t start = l->number_width + 1 + MARK_COLUMNS + names + 1 + depth;
    char name[16];

    print_number(l, row->number);
    pen_move(&l->pen, l->number_width + 1);
    print_mark(l, row);
    pen_move(&l->pen, l->number_width + 1 + MARK_COLUMNS);
    snprintf(name, sizeof name, "T%" PRIu32, l->lanes.at[row->lane].thread);
    pen_text(&l->pen, name, names);
    pen_move(&l->pen, start);
    pen_text(&l->pen, row->text, stop > start ? stop - start : 0);
    pen_move(&l->pen, stop + 2);
    if (l->place_width)
        print_place(l, row->site);
    pen_newline(&l->pen);
}

static void print_any_row(struct lanes *l, const struct row *row)
{
    if (l->folded)
        print_folded_row(l, row);
    else
        print_row(l, row);
}

static void print_lane_names(struct lanes *l)
{
    pen_move(&l->pen, l->number_width);
    for (uint32_t i = 0; i < l->lanes.count; i++) {
        uint32_t start;

        print_gap(l);
        start = l->pen.column;
        pen_colour(&l->pen, PEN_THREAD + l->lanes.at[i].thread);
        words_thread(l->trace, l->lanes.at[i].thread, l->buffer, sizeof l->buffer);
        pen_text(&l->pen, l->buffer, l->lanes.at[i].width);
        pen_move(&l->pen, start + l->lanes.at[i].width);
    }
    if (l->place_width)
        print_gap(l);
    pen_newline(&l->pen);
    pen_colour(&l->pen, PEN_DIM);
    pen_rule(&l->pen, "─", "-", l->number_width + 1);
    for (uint32_t i = 0; i < l->lanes.count; i++) {
        pen_sign(&l->pen, "┼", "+");
        pen_rule(&l->pen, "─", "-", l->lanes.at[i].width + 2);
    }
    if (l->place_width) {
        pen_sign(&l->pen, "┼", "+");
        pen_rule(&l->pen, "─", "-", l->place_width + 1);
    }
    pen_newline(&l->pen);
}

/* Whether that side of the race is among the rows. */
static bool is_racing(const struct lanes *l, uint32_t side)
{
    return l->trace->sides.count > side && l->trace->sides.at[side].step &&
           l->shown[l->trace->sides.at[side].step - 1];
}

/* Who is stuck, and at last where the bug shows. */
static void print_end(struct lanes *l)
{
    const struct trace *trace = l->trace;
    char words[WAIT_MAX];

    for (uint32_t i = 0; i < trace->waits.count; i++) {
        const struct trace_wait *wait = &trace->waits.at[i];

        print_any_row(l, &(struct row){.lane = l->lane_of[wait->thread],
                                       .unicode_mark = "■",
                                       .ascii_mark = "#",
                                       .colour = PEN_ALARM,
                                       .text = wait_words(wait, words),
                                       .site = &wait->site});
    }
    if (trace->waits.count || (is_racing(l, 0) && is_racing(l, 1)) || l->failing)
        return;
    print_any_row(l, &(struct row){.lane = l->lane_of[trace->bug.thread],
                                   .unicode_mark = "✗",
                                   .ascii_mark = "!",
                                   .colour = PEN_ALARM,
                                   .text = trace->bug.kind,
                                   .site = &trace->bug.site});
}

static bool is_side(const struct trace *trace, uint32_t step)
{
    for (uint32_t i = 0; i < trace->sides.count; i++)
        if (trace->sides.at[i].step == step + 1)
            return true;
    return false;
}

static void row_mark(struct row *row, const char *unicode, const char *ascii)
{
    row->unicode_mark = unicode;
    row->ascii_mark = ascii;
}

/* One row of a step; *running is the lane that went on last. */
static void print_step(struct lanes *l, uint32_t i, uint32_t *running)
{
    const struct trace_step *step = &l->trace->steps.at[i];
    struct row row = {.number = i + 1,
                      .lane = l->lane_of[step->thread],
                      .colour = PEN_THREAD + step->thread,
                      .text = step_words(l, i),
                      .site = &step->site};
    bool goes_on = *running != row.lane && *running != LANES_NONE;

    if (step->is_buffer)
        row_mark(&row, "~", "~");
    else if (is_side(l->trace, i) || l->failing == i + 1)
        row_mark(&row, "✗", "!");
    else if (goes_on && (!step->plain || l->brief))
        row_mark(&row, "▸", ">");
    else if (step->plain && !step->buffered)
        row_mark(&row, "·", ".");
    if (is_side(l->trace, i) || l->failing == i + 1)
        row.colour = PEN_ALARM;
    if (!step->is_buffer && (!step->plain || l->brief)) /* else the choice comes later */
        *running = row.lane;
    print_any_row(l, &row);
}

static void print_rows(struct lanes *l)
{
    uint32_t running = LANES_NONE;

    if (!l->folded)
        print_lane_names(l);
    for (uint32_t i = 0; i < l->trace->steps.count; i++)
        if (l->shown[i])
            print_step(l, i, &running);
    print_end(l);
}

/* ---- what stands above and below the lanes */

/* Whether there are flushes, and flushes of a store that has a number. */
static const char *flush_legend(const struct lanes *l)
{
    const char *legend = "";

    for (uint32_t i = 0; i < l->trace->steps.count; i++) {
        if (!l->shown[i])
            continue;
        if (l->link[i])
            return "   ~ a store leaves its buffer (#n: the store of step n)";
        if (l->trace->steps.at[i].is_buffer)
            legend = "   ~ a store leaves its buffer";
    }
    return legend;
}

static const char *plain_legend(const struct lanes *l)
{
    for (uint32_t i = 0; i < l->trace->steps.count; i++)
        if (l->shown[i] && l->trace->steps.at[i].plain && !l->trace->steps.at[i].buffered &&
            !is_side(l->trace, i))
            return l->pen.unicode ? "   · a plain access" : "   . a plain access";
    return "";
}

static void print_legend(struct lanes *l)
{
    char line[300];

    snprintf(line, sizeof line, "%s another thread goes on%s%s%s%s%s%s", l->pen.unicode ? "▸" : ">",
             flush_legend(l), plain_legend(l),
             !l->trace->waits.count ? ""
             : l->pen.unicode       ? "   ■"
                                    : "   #",
             l->trace->waits.count ? " stuck" : "",
             !is_racing(l, 0) ? ""
             : l->pen.unicode ? "   ✗"
                              : "   !",
             is_racing(l, 0) ? " the accesses that race" : "");
    pen_paragraph(&l->pen, 0, PEN_DIM, line, l->width);
}

static void print_output(struct lanes *l)
{
    const char *at = l->trace->output.at;
    size_t length = l->trace->output.count;

    if (length == 0)
        return;
    pen_newline(&l->pen);
    pen_paragraph(&l->pen, 0, PEN_PLAIN, "output of the program:", l->width);
    pen_wrap(&l->pen, at, length, 2, l->width);
}

/* What of the run is there, if that is not all. */
static const char *shown_words(const struct lanes *l, char *line, size_t size)
{
    struct text text = text_open(line, size);

    if (l->count == l->trace->steps.count)
        return NULL;
    text_add(&text, "shown:   the %" PRIu32 " that matter to the failure; --all shows all",
             l->count);
    if (l->start > 1)
        text_add(&text, " (1 to %" PRIu32 ": before other threads run)", l->start);
    return line;
}

int lanes_print(const struct trace *trace, const struct lanes_style *style, FILE *out)
{
    struct lanes l;
    char shown[200];

    if (lanes_open(&l, trace, style, out) != 0)
        return -1;
    about_print(
        trace, &l.pen, l.width,
        &(struct about_run){threads_count(&l), shown_words(&l, shown, sizeof shown), l.lane_of});
    pen_newline(&l.pen);
    print_legend(&l);
    pen_newline(&l.pen);
    print_rows(&l);
    print_output(&l);
    arena_close(&l.arena);
    return 0;
}
