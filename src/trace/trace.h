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

#define TRACE_VERSION 1u

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

/* A thread, named by what does not depend on the interleaving: the rank-th child of its parent. */
struct trace_thread {
    uint32_t parent; /* its index, smaller than the thread's own; the first thread: 0 */
    uint32_t rank;
    const char *name; /* for people: its start function */
    struct trace_site created;
};

/* One event: the choice that leads to it, and what it did. Only the choice is needed to do it
 * again. */
struct trace_step {
    uint32_t thread; /* whose step; is_buffer: the owner of the buffer */
    bool is_buffer;
    uint64_t addr;      /* is_buffer, PSO: which buffer */
    outcome_id outcome; /* the woken thread of a signal by its index, or OUTCOME_LOST */

    uint8_t op;    /* enum op_kind */
    bool buffered; /* OP_STORE: went into a store buffer */
    bool reads, writes;
    uint8_t size;       /* of a memory access; 0: none */
    uint64_t value;     /* read, written or returned */
    const char *object; /* name of the variable, heap block or lock */
    const char *text;   /* in words: "x = 1", "lock m"; NULL: made from the above */
    struct trace_site site;
};

struct trace_bug {
    const char *kind; /* as in bug_kind_names; the file may know more kinds than this raddle */
    const char *message;
    uint32_t thread;
    struct trace_site site;
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
    VEC(struct trace_step) steps;
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
