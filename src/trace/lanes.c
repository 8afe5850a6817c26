#include "trace/lanes.h"

#include <inttypes.h>
#include <string.h>

#include "trace/about.h"
#include "trace/pen.h"
#include "trace/words.h"

#define WIDTH_MIN     40
#define PLACE_MIN     12
#define MARK_COLUMNS  2                   /* a sign and a space before the text of a cell */
#define LANE_MIN      (MARK_COLUMNS + 12) /* narrower cells say nothing */
#define WAIT_MAX      256
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
    uint32_t *link;    /* words_link_flushes */
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

static int lanes_open(struct lanes *l, const struct trace *trace, const struct lanes_style *style,
                      FILE *out)
{
    *l = (struct lanes){.trace = trace,
                        .width = max_u32(style->width, WIDTH_MIN),
                        .pen = {.out = out, .unicode = style->unicode, .colour = style->colour}};
    if (arena_open(&l->arena, ARENA_RESERVE) != 0)
        return -1;
    l->link = words_link_flushes(trace, &l->arena);
    lanes_find(l);
    lanes_measure(l);
    l->folded = lanes_need(l) > lanes_room(l);
    if (!l->folded)
        lanes_share(l);
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

static void print_row(struct lanes *l, const struct row *row)
{
    print_number(l, row->number);
    for (uint32_t i = 0; i < l->lanes.count; i++) {
        uint32_t start;

        print_gap(l);
        start = l->pen.column;
        if (i == row->lane) {
            print_mark(l, row);
            pen_move(&l->pen, start + MARK_COLUMNS);
            pen_text(&l->pen, row->text, l->lanes.at[i].width - MARK_COLUMNS);
        }
        pen_move(&l->pen, start + l->lanes.at[i].width);
    }
    if (l->place_width) {
        print_gap(l);
        print_place(l, row->site);
    }
    pen_newline(&l->pen);
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
    if (trace->waits.count)
        return;
    print_any_row(l, &(struct row){.lane = l->lane_of[trace->bug.thread],
                                   .unicode_mark = "✗",
                                   .ascii_mark = "!",
                                   .colour = PEN_ALARM,
                                   .text = trace->bug.kind,
                                   .site = &trace->bug.site});
}

static void print_rows(struct lanes *l)
{
    const struct trace *trace = l->trace;
    uint32_t running = LANES_NONE;

    if (!l->folded)
        print_lane_names(l);
    for (uint32_t i = 0; i < trace->steps.count; i++) {
        const struct trace_step *step = &trace->steps.at[i];
        struct row row = {.number = i + 1,
                          .lane = l->lane_of[step->thread],
                          .colour = PEN_THREAD + step->thread,
                          .text = step_words(l, i),
                          .site = &step->site};

        if (step->is_buffer) {
            row.unicode_mark = row.ascii_mark = "~";
        } else if (step->plain) {
            row.unicode_mark = "·";
            row.ascii_mark = ".";
        } else {
            if (running != row.lane && running != LANES_NONE) {
                row.unicode_mark = "▸";
                row.ascii_mark = ">";
            }
            running = row.lane;
        }
        print_any_row(l, &row);
    }
    print_end(l);
}

/* ---- what stands above and below the lanes */

/* Whether there are flushes, and flushes of a store that has a number. */
static const char *flush_legend(const struct lanes *l)
{
    const char *legend = "";

    for (uint32_t i = 0; i < l->trace->steps.count; i++) {
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
        if (l->trace->steps.at[i].plain)
            return l->pen.unicode ? "   · a plain access" : "   . a plain access";
    return "";
}

static void print_legend(struct lanes *l)
{
    char line[200];

    snprintf(line, sizeof line, "%s another thread goes on%s%s%s%s", l->pen.unicode ? "▸" : ">",
             flush_legend(l), plain_legend(l),
             !l->trace->waits.count ? ""
             : l->pen.unicode       ? "   ■"
                                    : "   #",
             l->trace->waits.count ? " stuck" : "");
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

int lanes_print(const struct trace *trace, const struct lanes_style *style, FILE *out)
{
    struct lanes l;

    if (lanes_open(&l, trace, style, out) != 0)
        return -1;
    about_print(trace, &l.pen, l.width, l.lane_of);
    pen_newline(&l.pen);
    print_legend(&l);
    pen_newline(&l.pen);
    print_rows(&l);
    print_output(&l);
    arena_close(&l.arena);
    return 0;
}

/* ---- the list */

/* Where it is, and in which function if that is not the thread's own. */
static void list_place(struct pen *pen, const char *thread, const struct trace_site *site,
                       char *buffer, size_t size)
{
    if (site->file) {
        pen_move(pen, pen->column + 1);
        pen_text(pen, words_place(site, false, buffer, size), UINT32_MAX);
    }
    if (site->function && !(thread && strcmp(thread, site->function) == 0)) {
        pen_text(pen, " in ", UINT32_MAX);
        pen_text(pen, site->function, UINT32_MAX);
    }
}

int lanes_print_list(const struct trace *trace, const struct lanes_style *style, FILE *out)
{
    struct pen pen = {.out = out, .unicode = style->unicode, .colour = style->colour};
    uint32_t number_width = max_u32(2, digits_of(trace->steps.count));
    struct arena arena;
    uint32_t *link;
    char text[WORDS_MAX];

    if (arena_open(&arena, ARENA_RESERVE) != 0)
        return -1;
    link = words_link_flushes(trace, &arena);
    for (uint32_t i = 0; i < trace->steps.count; i++) {
        const struct trace_step *step = &trace->steps.at[i];

        pen_move(&pen, number_width - digits_of(i + 1));
        snprintf(text, sizeof text, "%" PRIu32 "  ", i + 1);
        pen_text(&pen, text, UINT32_MAX);
        pen_colour(&pen, PEN_THREAD + step->thread);
        pen_text(&pen, words_thread(trace, step->thread, text, sizeof text), UINT32_MAX);
        pen_colour(&pen, PEN_PLAIN);
        list_place(&pen, words_thread_name(trace, step->thread), &step->site, text, sizeof text);
        pen_move(&pen, pen.column + 2);
        pen_text(&pen, words_step(trace, i, link[i], text, sizeof text), UINT32_MAX);
        pen_newline(&pen);
    }
    arena_close(&arena);
    return 0;
}
