#ifndef RADDLE_TRACE_STORY_H
#define RADDLE_TRACE_STORY_H

#include "trace/lanes.h"

/* A run in sentences: who ran from where to where, what mattered of it, who read whose value, which store was
 * still in a buffer, which update was lost. The lanes show everything; this says what to look at. */

/* What one step has to do with others. Steps are numbered from 0 here, STORY_NONE is none. */
#define STORY_NONE UINT32_MAX

struct story_link {
    uint32_t from;   /* a read: the step of another thread that wrote what it read */
    uint32_t lost;   /* a write: another thread's write since this thread's last read; it is lost */
    uint32_t based;  /* with `lost`: that read */
    uint32_t passed; /* a read: the flush of an own store that was still in the buffer then */
    bool matters;    /* another thread reads or overwrites it, or it reads from another thread */
};

struct story_line {
    uint32_t thread;
    uint32_t first, last; /* the steps it tells of */
    const char *text;     /* one sentence, in the arena */
};

typedef VEC(struct story_line) story_line_vec;

/* One link for each step, in the arena. */
struct story_link *story_links(const struct trace *trace, struct arena *arena);

/* The story, in the arena. */
void story_tell(const struct trace *trace, struct arena *arena, story_line_vec *lines);

/* Writes the notes (notes.h) and, unless it is to be brief, the story, a paragraph for each stretch of one thread; an empty line before each. Returns as
 * lanes_print. */
int story_print(const struct trace *trace, const struct lanes_style *style, FILE *out);

#endif
