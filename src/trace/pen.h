#ifndef RADDLE_TRACE_PEN_H
#define RADDLE_TRACE_PEN_H

/* Writes text of unknown origin for a terminal: in columns, nothing in it that could move the
 * cursor, no spaces at the end of a line. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum pen_colour {
    PEN_PLAIN,
    PEN_DIM,
    PEN_BOLD,
    PEN_ALARM,
    PEN_THREAD, /* + n: that of the n-th thread */
};

struct pen {
    FILE *out;
    bool unicode; /* else ASCII only */
    bool colour;
    uint32_t column;  /* of the next character, from 0; spaces that are still due count */
    uint32_t due;     /* spaces that are written when something follows */
    uint32_t painted; /* colour that the terminal has now */
    uint32_t wanted;
};

/* From here on; costs nothing without colours. */
void pen_colour(struct pen *pen, uint32_t colour);

/* Writes at most `columns` columns of `text`; what is longer is cut and ends with an ellipsis.
 * Characters that cannot be shown become '?'. */
void pen_text(struct pen *pen, const char *text, uint32_t columns);

/* Writes what one line of `columns` columns holds, broken at a space if there is one. Returns what is left. */
const char *pen_part(struct pen *pen, const char *text, uint32_t columns);

/* As pen_text, but cut at the front. */
void pen_tail(struct pen *pen, const char *text, uint32_t columns);

/* One of our own signs: the first with Unicode, the second without. */
void pen_sign(struct pen *pen, const char *unicode, const char *ascii);

/* A sign again and again. */
void pen_rule(struct pen *pen, const char *unicode, const char *ascii, uint32_t count);

/* Moves right to that column; nothing if it is there or beyond. */
void pen_move(struct pen *pen, uint32_t column);

void pen_newline(struct pen *pen);

/* Writes `length` bytes over as many lines as they need, each `indent` columns in and none longer
 * than `width`; breaks at newlines and spaces, and inside a word if it must. Ends with a newline.
 * */
void pen_wrap(struct pen *pen, const char *text, size_t length, uint32_t indent, uint32_t width);

/* The same for a text of our own in one colour. */
void pen_paragraph(struct pen *pen, uint32_t indent, uint32_t colour, const char *text,
                   uint32_t width);

/* How many columns pen_text would take. */
uint32_t pen_columns(const struct pen *pen, const char *text);

#endif
