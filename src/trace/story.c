#include "trace/story.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "trace/conflicts.h"
#include "trace/notes.h"
#include "trace/pen.h"
#include "trace/words.h"

/* Of a longer stretch of one thread only what matters is told, and its ends. */
#define STRETCH_WHOLE 6
#define STRETCH_TOLD  12

#define ARENA_RESERVE ((size_t)1 << 34)

/* ---- who has to do with whom */

/* The latest access of the thread of step `i` to the same cell, before that step was asked for: a store that was in a buffer, before it went
 * there. STORY_NONE if there is none. */
static uint32_t access_before(const struct trace *trace, uint32_t i, uint32_t store)
{
    uint64_t cell = trace->steps.at[i].cell;
    uint32_t thread = trace->steps.at[i].thread;

    if (store)
        i = store - 1;
    else if (trace->steps.at[i].op == OP_FLUSH && trace->steps.at[i].issued < i)
        i = trace->steps.at[i].issued;
    while (i-- > 0)
        if (trace->steps.at[i].cell == cell && trace->steps.at[i].thread == thread &&
            (trace->steps.at[i].reads || trace->steps.at[i].writes))
            return i;
    return STORY_NONE;
}

/* A write over another thread's, by a thread that has read before that: what it writes cannot know of it, whether it was computed from what
 * was read or not. */
static void link_overwrite(const struct trace *trace, struct story_link *links, uint32_t first,
                           uint32_t second, uint32_t store)
{
    const struct trace_step *step = &trace->steps.at[second];
    uint32_t read = access_before(trace, second, store);

    if (step->reads || !trace->steps.at[first].writes || read == STORY_NONE || read > first ||
        !trace->steps.at[read].reads || trace->steps.at[read].writes)
        return;
    links[second].lost = first;
    links[second].based = read;
    links[read].matters = true;
}

static void link_conflict(const struct trace *trace, struct story_link *links, uint32_t first,
                          uint32_t second, uint32_t store)
{
    links[first].matters = links[second].matters = true;
    if (trace->steps.at[second].reads && trace->steps.at[first].writes)
        links[second].from = first;
    if (trace->steps.at[second].writes)
        link_overwrite(trace, links, first, second, store);
}

/* Reads of the same thread between a store and its flush have passed it. */
static void link_flush(const struct trace *trace, struct story_link *links, uint32_t flush,
                       uint32_t store)
{
    const struct trace_step *step = &trace->steps.at[flush];
    uint32_t from = store ? store : step->issued;

    for (uint32_t i = flush; i-- > from;) {
        const struct trace_step *read = &trace->steps.at[i];

        if (read->thread != step->thread || read->is_buffer || !read->reads ||
            read->cell == step->cell)
            continue;
        links[i].passed = flush;
        links[i].matters = links[flush].matters = true;
    }
}

struct story_link *story_links(const struct trace *trace, struct arena *arena)
{
    struct story_link *links = arena_alloc(arena, (trace->steps.count + 1) * sizeof *links);
    const uint32_t *stores = words_link_flushes(trace, arena);
    conflict_vec conflicts = {0};

    for (uint32_t i = 0; i < trace->steps.count; i++)
        links[i] = (struct story_link){STORY_NONE, STORY_NONE, STORY_NONE, STORY_NONE, false};
    conflicts_find(trace, arena, &conflicts);
    for (uint32_t i = 0; i < conflicts.count; i++)
        link_conflict(trace, links, conflicts.at[i].first, conflicts.at[i].second,
                      stores[conflicts.at[i].second]);
    for (uint32_t i = 0; i < trace->steps.count; i++)
        if (trace->steps.at[i].op == OP_FLUSH)
            link_flush(trace, links, i, stores[i]);
    return links;
}

/* ---- sentences */

struct telling {
    const struct trace *trace;
    struct arena *arena;
    const struct story_link *links;
    const uint32_t *stores; /* words_link_flushes */
    struct text text;
    char buffer[4 * WORDS_MAX];
};

/* "load x -> 0, stored by T2 in step 7, while its store y = 1 was still in the buffer". */
static void say_step(struct telling *t, uint32_t i)
{
    const struct trace_step *step = &t->trace->steps.at[i];
    const struct story_link *link = &t->links[i];
    char words[WORDS_MAX];

    text_add(&t->text, "%s", words_step(t->trace, i, t->stores[i], words, sizeof words));
    if (link->from != STORY_NONE && t->trace->steps.at[link->from].thread != step->thread)
        text_add(&t->text, " (written by T%" PRIu32 " in step %" PRIu32 ")",
                 t->trace->steps.at[link->from].thread, link->from + 1);
    if (link->passed != STORY_NONE) {
        const struct trace_step *flush = &t->trace->steps.at[link->passed];

        text_add(&t->text,
                 ", while the own store of %s was still in the store buffer, until step %" PRIu32,
                 flush->object ? flush->object : "an earlier value", link->passed + 1);
    }
    if (link->lost != STORY_NONE)
        text_add(&t->text,
                 " (the write of T%" PRIu32 " in step %" PRIu32
                 " is lost: this thread has last looked in step %" PRIu32 ")",
                 t->trace->steps.at[link->lost].thread, link->lost + 1, link->based + 1);
}

static bool is_told(const struct telling *t, uint32_t i, uint32_t first, uint32_t last)
{
    const struct trace_step *step = &t->trace->steps.at[i];

    return last - first < STRETCH_WHOLE || i == first || i == last || t->links[i].matters ||
           op_infos[step->op].object == OBJECT_COND || step->op == OP_CHOOSE ||
           step->op == OP_THREAD_CREATE || step->op == OP_THREAD_JOIN;
}

/* Of many steps that matter, the first half and the last half of what is told. */
static void say_stretch(struct telling *t, uint32_t first, uint32_t last)
{
    uint32_t count = 0, told = 0, skipped = 0;
    bool begun = false;

    for (uint32_t i = first; i <= last; i++)
        count += is_told(t, i, first, last);
    for (uint32_t i = first; i <= last; i++) {
        bool tell = is_told(t, i, first, last);

        if (tell && count > STRETCH_TOLD && told >= STRETCH_TOLD / 2 &&
            told < count - STRETCH_TOLD / 2) {
            told++;
            tell = false;
        } else {
            told += tell;
        }
        if (!tell) {
            skipped++;
            continue;
        }
        text_add(&t->text, "%s", begun ? "; " : "");
        if (skipped)
            text_add(&t->text, "… %" PRIu32 " more …; ", skipped);
        skipped = 0;
        begun = true;
        say_step(t, i);
    }
}

static void line_add(struct telling *t, story_line_vec *lines, uint32_t first, uint32_t last)
{
    size_t size = t->text.used + 1;
    char *copy = arena_alloc(t->arena, size);

    memcpy(copy, t->buffer, size);
    vec_push(t->arena, lines,
             (struct story_line){t->trace->steps.at[first].thread, first, last, copy});
    t->text = text_open(t->buffer, sizeof t->buffer);
}

/* Whether step `i` goes on with what step `i - 1` did. */
static bool continues(const struct trace *trace, uint32_t i)
{
    const struct trace_step *a = &trace->steps.at[i - 1], *b = &trace->steps.at[i];

    return a->thread == b->thread && a->is_buffer == b->is_buffer;
}

void story_tell(const struct trace *trace, struct arena *arena, story_line_vec *lines)
{
    struct telling *t = arena_alloc(arena, sizeof *t);

    *t = (struct telling){.trace = trace,
                          .arena = arena,
                          .links = story_links(trace, arena),
                          .stores = words_link_flushes(trace, arena)};
    t->text = text_open(t->buffer, sizeof t->buffer);
    for (uint32_t first = 0; first < trace->steps.count;) {
        uint32_t last = first;
        char name[WORDS_MAX];

        while (last + 1 < trace->steps.count && continues(trace, last + 1))
            last++;
        text_add(&t->text,
                 "%s%s: ", words_thread(trace, trace->steps.at[first].thread, name, sizeof name),
                 trace->steps.at[first].is_buffer ? ", its store buffer" : "");
        say_stretch(t, first, last);
        line_add(t, lines, first, last);
        first = last + 1;
    }
}

/* ---- for people */

static void print_notes(const struct trace *trace, const struct lanes_style *style, struct pen *pen,
                        struct arena *arena)
{
    note_vec notes = {0};

    notes_find(trace, arena, &notes);
    if (notes.count) {
        pen_newline(pen);
        pen_paragraph(pen, 0, PEN_BOLD, "what went wrong:", style->width);
    }
    for (uint32_t i = 0; i < notes.count; i++)
        pen_paragraph(pen, 2, PEN_THREAD + trace->steps.at[notes.at[i].step].thread,
                      notes.at[i].text, style->width);
}

int story_print(const struct trace *trace, const struct lanes_style *style, FILE *out)
{
    struct pen pen = {.out = out, .unicode = style->unicode, .colour = style->colour};
    story_line_vec lines = {0};
    struct arena arena;

    if (arena_open(&arena, ARENA_RESERVE) != 0)
        return -1;
    print_notes(trace, style, &pen, &arena);
    if (!style->brief)
        story_tell(trace, &arena, &lines);
    if (lines.count) {
        pen_newline(&pen);
        pen_paragraph(&pen, 0, PEN_BOLD, "in words:", style->width);
    }
    for (uint32_t i = 0; i < lines.count; i++) {
        const struct story_line *line = &lines.at[i];
        char steps[48];

        if (line->first == line->last)
            snprintf(steps, sizeof steps, "step %" PRIu32, line->first + 1);
        else
            snprintf(steps, sizeof steps, "steps %" PRIu32 " to %" PRIu32, line->first + 1,
                     line->last + 1);
        pen_paragraph(&pen, 2, PEN_DIM, steps, style->width);
        pen_paragraph(&pen, 4, PEN_THREAD + line->thread, line->text, style->width);
    }
    arena_close(&arena);
    return 0;
}
