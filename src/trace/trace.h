#ifndef RADDLE_TRACE_TRACE_H
#define RADDLE_TRACE_TRACE_H

/* Ground rules of the room `trace`: one run of a program, kept so that it can be read by people,
 * done again by raddle, and sent to somebody else. It needs no program and no search to be read,
 * and nothing in a file is believed: what trace_read lets through is consistent. Nothing here
 * prints on its own or keeps state. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/vec.h"
#include "model/op.h"

#define TRACE_VERSION 3u

/* trace.buffer_bound: none; the same number as the model's BUFFER_UNBOUNDED. */
#define TRACE_UNBOUNDED UINT32_MAX

/* Strings are NULL when there is none; those of a trace are in its arena. What trace_add_* and
 * trace_set_* get is copied. */

/* A place in the source. */
struct trace_site {
    const char *file; /* NULL: unknown, and then line and column mean nothing */
    const char *function;
    uint32_t line, column; /* 1-based; 0: unknown */
};

/* A call on the stack of a step: the place from which its function called on. */
struct trace_frame {
    uint32_t up; /* the caller: 1 + its index, smaller than the frame's own; 0: none is known */
    struct trace_site site;
};

/* A thread, named by what does not depend on the interleaving: the rank-th child of its parent. */
struct trace_thread {
    uint32_t parent; /* its index, smaller than the thread's own; the first thread: 0 */
    uint32_t rank;
    const char *name; /* for people: its start function */
    struct trace_site created;
};

/* One event: the choice that leads to it, and what it did. Only the choice is needed to do it
 * again; a plain access is no choice at all. */
struct trace_step {
    uint32_t thread; /* whose step; is_buffer: the owner of the buffer */
    bool is_buffer;
    uint64_t addr;      /* is_buffer, PSO: which buffer */
    outcome_id outcome; /* the woken thread of a signal by its index, or OUTCOME_LOST */

    uint8_t op;    /* enum op_kind */
    uint8_t order; /* 1 + enum memory_order, of an atomic access or a fence; 0: it has none */
    bool plain;    /* came between two choices: a replay passes over it */
    bool buffered; /* OP_STORE: went into a store buffer */
    bool failed;   /* OP_CAS: found another value than it expected, and wrote nothing */
    bool reads, writes;
    uint8_t size;    /* of a memory access; 0: none */
    uint64_t value;  /* read, written or returned */
    uint64_t cell;   /* address of what it touches, or 0 */
    uint32_t issued; /* OP_FLUSH: after this many steps the store went into the buffer; or later */
    const char *object; /* name of the variable, heap block or lock */
    const char *text;   /* in words: "x = 1", "lock m"; NULL: made from the above */
    struct trace_site site;
    uint32_t stack; /* who called the function of the site: 1 + index of a frame, or 0 */
};

/* Something whose value is followed through the run. */
struct trace_variable {
    const char *name;
    const char *kind; /* as in object_kind_names, or "buffer" */
    uint64_t cell;
};

/* What a variable holds from step number `step` on (0: from the start) to the next such record. */
struct trace_value {
    uint32_t step;
    uint32_t variable;
    const char *text;
};

/* A thread that cannot go on at the end of the run. */
struct trace_wait {
    uint32_t thread;
    uint32_t on;      /* 1 + the thread that it waits for, or 0 if that is not known */
    const char *text; /* "lock b, held by T2 (move)", "a chance to read from …" */
    struct trace_site site;
    uint32_t stack; /* as that of a step */
};

/* One of the two accesses of a data race. */
struct trace_side {
    uint32_t thread;
    uint32_t step;           /* its number, 1-based; 0: it is not among the steps */
    const char *what;        /* "write of queue.head" */
    VEC(const char *) locks; /* that its thread held */
    struct trace_site site;
    uint32_t stack; /* as that of a step */
};

/* A line of the source. */
struct trace_line {
    uint32_t file; /* index into trace.files */
    uint32_t number;
    const char *text;
};

struct trace_bug {
    const char *kind; /* as in bug_kind_names; the file may know more kinds than this raddle */
    const char *message;
    uint32_t thread;
    struct trace_site site;
    uint32_t stack;            /* as that of a step */
    VEC(const char *) details; /* one line each */
};

/* Something that the run depends on, kept by name. */
struct trace_option {
    const char *name, *value;
};

struct trace {
    struct arena arena;
    const char *program;
    VEC(const char *) arguments; /* without the program's own name */
    uint64_t build; /* fingerprint of the program; a replay with another one may go another way */
    const char *model;
    uint32_t buffer_bound;
    VEC(struct trace_option) options;
    struct trace_bug bug;
    VEC(struct trace_thread) threads; /* at least one */
    VEC(const char *) files;          /* whose lines are in `lines` */
    VEC(struct trace_line) lines;     /* by file, then by number */
    VEC(struct trace_frame) frames;
    VEC(struct trace_variable) variables;
    VEC(struct trace_step) steps;
    VEC(struct trace_value) values; /* by step */
    VEC(struct trace_wait) waits;
    VEC(struct trace_side)
    sides;            /* of a data race: the earlier access, then the one that shows it */
    VEC(char) output; /* bytes that the program wrote */
};

/* Why a file was refused. */
struct trace_error {
    char message[200]; /* one line of ASCII, without a place */
    uint32_t line;     /* 1-based; 0: the file as a whole */
};

/* ---- making one */

/* An empty trace. Returns 0, or -1 with errno set. */
int trace_open(struct trace *trace);

/* Frees it and all its strings. A zeroed trace is fine. */
void trace_free(struct trace *trace);

/* `arguments` as for main: argv[1 …] ending with NULL, or NULL for none. */
void trace_set_program(struct trace *trace, const char *program, const char *const *arguments);

void trace_set_model(struct trace *trace, const char *model, uint32_t buffer_bound);

/* Sets or replaces; `value` is not NULL. */
void trace_set_option(struct trace *trace, const char *name, const char *value);

/* The value of an option, or NULL. */
const char *trace_option(const struct trace *trace, const char *name);

/* `details` may be NULL, or several lines. */
void trace_set_bug(struct trace *trace, const char *kind, const char *message, const char *details,
                   uint32_t thread, const struct trace_site *site);

/* Appends; the parent must be there already. */
void trace_add_thread(struct trace *trace, const struct trace_thread *thread);

/* Appends; its thread must be there already. */
void trace_add_step(struct trace *trace, const struct trace_step *step);

/* Appends a frame; its caller must be there already. Returns 1 + its index, for `stack` and `up`. */
uint32_t trace_add_frame(struct trace *trace, const struct trace_frame *frame);

/* Appends; returns its index. */
uint32_t trace_add_variable(struct trace *trace, const struct trace_variable *variable);

/* Appends, in the order of steps. */
void trace_add_value(struct trace *trace, const struct trace_value *value);

/* Appends; its threads and its frames must be there already. */
void trace_add_wait(struct trace *trace, const struct trace_wait *wait);

/* Appends; its thread, step and frames must be there already. `locks` are `count` names. */
void trace_add_side(struct trace *trace, const struct trace_side *side, const char *const *locks,
                    uint32_t count);

/* Appends; files and their lines in order. Returns the index of the file. */
uint32_t trace_add_file(struct trace *trace, const char *path);
void trace_add_line(struct trace *trace, uint32_t file, uint32_t number, const char *text,
                    size_t length);

/* The text of a source line, or NULL if the trace does not have it. */
const char *trace_line(const struct trace *trace, const char *file, uint32_t number);

/* Appends to what the program wrote. */
void trace_add_output(struct trace *trace, const char *bytes, size_t length);

/* A copy of `length` bytes in the arena of the trace, with a 0 behind. */
char *trace_copy(struct trace *trace, const char *bytes, size_t length);

/* ---- files */

/* Writes it all; program, model, bug and a thread must be set. False if the stream failed (errno
 * may tell why). */
bool trace_write(const struct trace *trace, FILE *out);

/* Reads what trace_write wrote, in time linear in `length`. The trace is the caller's to free.
 * False: nothing to free, and *error tells why. */
bool trace_read(const char *text, size_t length, struct trace *trace, struct trace_error *error);

/* Writes "file:line: message" without a newline, shortened to `size` bytes if need be. Returns
 * `buffer`. */
const char *trace_error_format(const struct trace_error *error, const char *file, char *buffer,
                               size_t size);

#endif
