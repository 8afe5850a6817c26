#include "trace/pen.h"

#include <string.h>

#include "trace/utf8.h"

/* A character as it is written. */
struct glyph {
    const char *bytes;
    size_t length; /* of `bytes` */
    size_t size;   /* of what it stands for in the text */
    unsigned columns;
};

static struct glyph glyph_at(const struct pen *pen, const char *at, const char *end)
{
    uint32_t character;
    size_t size = utf8_decode(at, end, &character);

    if (size == 0)
        return (struct glyph){"?", 1, 1, 1};
    if (character == '\t' || character == '\n')
        return (struct glyph){" ", 1, 1, 1};
    if (!utf8_is_shown(character) || (character >= 0x80 && !pen->unicode))
        return (struct glyph){"?", 1, size, 1};
    return (struct glyph){at, size, size, utf8_columns(character)};
}

static void paint(struct pen *pen)
{
    static const char *const codes[] = {"0", "2", "1", "1;31"};
    static const char *const threads[] = {"36", "33", "35", "32", "34", "96", "93", "95"};
    uint32_t wanted = pen->wanted;

    if (!pen->colour || wanted == pen->painted)
        return;
    if (pen->painted != PEN_PLAIN && wanted != PEN_PLAIN)
        fputs("\033[0m", pen->out);
    fprintf(pen->out, "\033[%sm",
            wanted < PEN_THREAD
                ? codes[wanted]
                : threads[(wanted - PEN_THREAD) % (sizeof threads / sizeof *threads)]);
    pen->painted = wanted;
}

void pen_colour(struct pen *pen, uint32_t colour)
{
    pen->wanted = colour;
}

static void put(struct pen *pen, const char *bytes, size_t length, unsigned columns)
{
    for (; pen->due; pen->due--)
        fputc(' ', pen->out);
    paint(pen);
    fwrite(bytes, 1, length, pen->out);
    pen->column += columns;
}

static void put_glyphs(struct pen *pen, const char *at, const char *end)
{
    while (at < end) {
        struct glyph glyph = glyph_at(pen, at, end);

        if (glyph.length == 1 && *glyph.bytes == ' ') {
            pen->due++;
            pen->column++;
        } else {
            put(pen, glyph.bytes, glyph.length, glyph.columns);
        }
        at += glyph.size;
    }
}

/* Where the first `columns` columns of the text end; also at a newline, if asked to. */
static const char *prefix_end(const struct pen *pen, const char *at, const char *end,
                              uint32_t columns, bool newline_ends)
{
    while (at < end && !(newline_ends && *at == '\n')) {
        struct glyph glyph = glyph_at(pen, at, end);

        if (glyph.columns > columns)
            break;
        columns -= glyph.columns;
        at += glyph.size;
    }
    return at;
}

uint32_t pen_columns(const struct pen *pen, const char *text)
{
    const char *end = text + strlen(text);
    uint32_t columns = 0;

    while (text < end) {
        struct glyph glyph = glyph_at(pen, text, end);

        columns += glyph.columns;
        text += glyph.size;
    }
    return columns;
}

static uint32_t ellipsis_columns(const struct pen *pen)
{
    return pen->unicode ? 1 : 3;
}

static void put_ellipsis(struct pen *pen)
{
    if (pen->unicode)
        put(pen, "…", strlen("…"), 1);
    else
        put(pen, "...", 3, 3);
}

void pen_text(struct pen *pen, const char *text, uint32_t columns)
{
    const char *end = text + strlen(text);

    if (prefix_end(pen, text, end, columns, false) == end) {
        put_glyphs(pen, text, end);
    } else if (columns >= ellipsis_columns(pen)) {
        put_glyphs(pen, text, prefix_end(pen, text, end, columns - ellipsis_columns(pen), false));
        put_ellipsis(pen);
    }
}

void pen_tail(struct pen *pen, const char *text, uint32_t columns)
{
    const char *end = text + strlen(text);
    uint32_t all = pen_columns(pen, text);
    uint32_t kept;

    if (all <= columns) {
        put_glyphs(pen, text, end);
    } else if (columns >= ellipsis_columns(pen)) {
        kept = columns - ellipsis_columns(pen);
        put_ellipsis(pen);
        text = prefix_end(pen, text, end, all - kept, false);
        if (pen_columns(pen, text) > kept) /* a wide character on the edge */
            text += glyph_at(pen, text, end).size;
        put_glyphs(pen, text, end);
    }
}

void pen_sign(struct pen *pen, const char *unicode, const char *ascii)
{
    const char *sign = pen->unicode ? unicode : ascii;

    put(pen, sign, strlen(sign), 1);
}

void pen_rule(struct pen *pen, const char *unicode, const char *ascii, uint32_t count)
{
    for (; count; count--)
        pen_sign(pen, unicode, ascii);
}

void pen_move(struct pen *pen, uint32_t column)
{
    if (column <= pen->column)
        return;
    pen->due += column - pen->column;
    pen->column = column;
}

void pen_newline(struct pen *pen)
{
    uint32_t wanted = pen->wanted;

    pen->wanted = PEN_PLAIN;
    paint(pen);
    pen->wanted = wanted;
    fputc('\n', pen->out);
    pen->column = pen->due = 0;
}

/* Where to end a line that cannot go on beyond `fits`: behind the last space; else before a member, if one begins late enough. */
static const char *break_before(const char *at, const char *fits)
{
    for (const char *space = fits; space > at; space--)
        if (space[-1] == ' ')
            return space;
    for (const char *joint = fits; joint > at + (fits - at) / 2; joint--)
        if (*joint == '.' || strncmp(joint, "->", 2) == 0 || strncmp(joint, "::", 2) == 0)
            return joint;
    return fits;
}

const char *pen_part(struct pen *pen, const char *text, uint32_t columns)
{
    const char *end = text + strlen(text);
    const char *stop = prefix_end(pen, text, end, columns < 2 ? 2 : columns, false);
    const char *last;

    if (stop < end)
        stop = *stop == ' ' ? stop + 1 : break_before(text, stop);
    last = stop > text && stop[-1] == ' ' ? stop - 1 : stop;
    put_glyphs(pen, text, last);
    return stop;
}

void pen_wrap(struct pen *pen, const char *text, size_t length, uint32_t indent, uint32_t width)
{
    const char *end = text + length;
    uint32_t columns = width > indent + 2 ? width - indent : 2; /* 2: the widest character */

    do {
        const char *stop = prefix_end(pen, text, end, columns, true);
        bool whole = stop == end || *stop == '\n';

        if (!whole)
            stop = *stop == ' ' ? stop + 1 : break_before(text, stop);
        pen_move(pen, indent);
        put_glyphs(pen, text, stop);
        pen_newline(pen);
        text = whole && stop < end ? stop + 1 : stop;
    } while (text < end);
}

void pen_paragraph(struct pen *pen, uint32_t indent, uint32_t colour, const char *text,
                   uint32_t width)
{
    pen_colour(pen, colour);
    pen_wrap(pen, text, strlen(text), indent, width);
}
