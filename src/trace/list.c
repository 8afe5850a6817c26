#include <inttypes.h>
#include <string.h>

#include "trace/lanes.h"
#include "trace/pen.h"
#include "trace/words.h"

#define ARENA_RESERVE ((size_t)1 << 36)

/* The steps one below the other, for what has no room for lanes. */

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
    int number_width = snprintf(NULL, 0, "%" PRIu32, trace->steps.count);
    struct arena arena;
    uint32_t *link;
    char text[WORDS_MAX];

    if (arena_open(&arena, ARENA_RESERVE) != 0)
        return -1;
    link = words_link_flushes(trace, &arena);
    for (uint32_t i = 0; i < trace->steps.count; i++) {
        const struct trace_step *step = &trace->steps.at[i];

        snprintf(text, sizeof text, "%*" PRIu32 "  ", number_width < 2 ? 2 : number_width, i + 1);
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
