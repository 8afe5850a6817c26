#ifndef RADDLE_RUNTIME_LIBRARY_LIBRARY_H
#define RADDLE_RUNTIME_LIBRARY_LIBRARY_H

/* Functions of the C library by the table library.def: what memory they access, and what state they keep.
 *
 * If plain accesses are checked for races, what a call accesses is checked before it, or behind it as far as only the result
 * tells, and libc's own function does the rest. If they are steps of their own (--races=ignore), the function is called on private copies, which
 * are read before and written behind it step by step, as an instrumented function would. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/hooks.h"

#define LIBRARY_NO_ARG 255

enum library_access_kind {
    ACCESS_END, /* of the row */
    ACCESS_READS,
    ACCESS_WRITES,
    ACCESS_APPENDS,
    ACCESS_COMPARES, /* with the argument `a`, at most argument `b` characters; `size` is their kind */
    ACCESS_PRINTS,
    ACCESS_VPRINTS,
    ACCESS_SCANS,
    ACCESS_VSCANS,
    ACCESS_STREAM,
    ACCESS_STREAM_ASKS,
    ACCESS_STREAM_FIXED,
    ACCESS_DIRECTORY,
    ACCESS_STREAM_INPUT,
    ACCESS_STREAM_OUTPUT,
    ACCESS_STREAM_ERROR,
    ACCESS_HIDDEN, /* `a` is the cell */
    ACCESS_HIDDEN_READ,
    ACCESS_RACY,
    ACCESS_SETS,
    ACCESS_SETS_LOCKED,
    ACCESS_GIVES, /* `a` bytes */
    ACCESS_GIVES_TEXT,
    ACCESS_ENDS, /* `a` is the argument that it points into */
    ACCESS_TOKEN,
    ACCESS_READS_VECTORS, /* `a` is the argument with their number; LIBRARY_NO_ARG: a message */
    ACCESS_WRITES_VECTORS,
    ACCESS_LOOKS_UP,
    ACCESS_CHANGES,
    ACCESS_LISTS,
    ACCESS_USES_FILE,
    ACCESS_WRITES_FILE,
    ACCESS_CHANGES_FILE, /* `a` is the argument with the directory */
    ACCESS_OPENS,        /* `a` is the argument with the flags */
    ACCESS_OPENS_STREAM,
    ACCESS_SETS_JUMP, /* `a` is the argument that says with what */
    ACCESS_LINE,      /* `a` is the argument with its room */
    ACCESS_KEEPS,
    /* from here on: for the reader of the table, and its test */
    ACCESS_OWN, /* those that follow are made by the function itself */
    ACCESS_OBJECT,
    ACCESS_VARIES,
    ACCESS_FREES,
    ACCESS_ALLOCATES,
};

enum library_size {
    SIZE_BYTES,   /* a */
    SIZE_ARG,     /* argument a, times b */
    SIZE_PRODUCT, /* of arguments a and b */
    SIZE_TEXT,    /* with its 0 */
    SIZE_TEXT_UPTO,
    SIZE_WIDE,
    SIZE_WIDE_UPTO,
    SIZE_LIKE,
    SIZE_LIKE_UPTO,
    SIZE_LIKE_WIDE,
    SIZE_SEEK,
    SIZE_LIKE_SEEK, /* the two arguments behind a say what for, and how far */
    SIZE_SEEK_TEXT,
    SIZE_SEEK_WIDE,
    SIZE_FAMILY, /* of an address of that family */
    SIZE_RESULT, /* from here on: known after the call */
    SIZE_GOT = SIZE_RESULT,
    SIZE_GOT_BYTES,
    SIZE_GOT_ITEMS,
    SIZE_GOT_TEXT,
    SIZE_GOT_TEXT_BYTES,
    SIZE_DONE_TEXT,
    SIZE_PRINTED,
    SIZE_PRINTED_BY,
    SIZE_PRINTED_WIDE, /* the same in characters of four bytes */
    SIZE_GOT_EACH,     /* result items of a bytes, argument b is the room */
    SIZE_DONE,
    SIZE_DONE_ARG,
    SIZE_MADE,
    SIZE_HELD, /* as the int at argument a says: only of functions that tell of it themselves */
};

struct library_access {
    uint8_t kind; /* enum library_access_kind */
    uint8_t arg;
    uint8_t size; /* enum library_size */
    uint16_t a, b;
};

#define LIBRARY_ACCESSES 12

enum library_effect { EFFECT_STATE, EFFECT_PURE, EFFECT_CHANCE };

struct library_row {
    const char *name;
    uint8_t effect; /* enum library_effect */
    struct library_access accesses[LIBRARY_ACCESSES];
};

/* A call that is going on. */
struct library_call {
    const struct library_row *row;
    uint64_t *arguments;
    uint32_t count;
    bool open; /* nothing follows it, so nothing may be replaced */
    uint64_t result;
    const struct raddle_site *site;
};

/* The row of a name, or NULL. */
const struct library_row *library_find(const char *name);

/* The name of the function at that address, if it has a row, or NULL. Many functions of libc are there in several versions, one of which is
 * chosen when the program starts and has no name of its own. Slow. */
const char *library_name_of(const void *function);

/* Whether it gives a new block that it has filled, and does nothing else. */
bool library_duplicates(const struct library_row *row);

/* Around a call by a program thread. */
void library_before(struct library_call *call);
void library_after(struct library_call *call);

/* How large a character is that an access COMPARES, and whether two of them are the same to it. */
size_t library_character(const struct library_access *access);
bool library_is_same(const struct library_access *access, const void *a, const void *b);

/* ---- sizes, of memory as it is now */

void *library_pointer(const struct library_call *call, unsigned arg);
uint64_t library_argument(const struct library_call *call, unsigned arg);
/* How much is read, or how much room there is to write. */
size_t library_room(const struct library_call *call, const struct library_access *access);
/* After the call: how much was written. */
size_t library_written(const struct library_call *call, const struct library_access *access);

/* ---- format.c */

/* One thing that a conversion reads or writes. */
struct library_conversion {
    uint32_t arg; /* the argument, or LIBRARY_NO_ARG for one in a va_list */
    void *at;
    bool writes, text, wide;
    size_t size; /* bytes; of a text: at most so many characters, SIZE_MAX: any */
    uint32_t
        assigned; /* of scanf: how many conversions must have been assigned for this one to be */
};

typedef void library_visit(void *context, const struct library_conversion *conversion);

/* Walks through the format of an access PRINTS, VPRINTS, SCANS or VSCANS; `text` is the format itself. Returns how many bytes
 * printing can need. */
size_t library_format(const struct library_call *call, const struct library_access *access,
                      const char *text, library_visit *visit, void *context);

/* Before the call: keeps the list of an access VSCANS. */
void library_list_keep(const struct library_call *call, const struct library_access *access);

/* ---- paths.c: the order of what threads do to files is a step of its own, if it may show */

void library_path_use(const struct library_call *call, const struct library_access *access);
void library_file_use(const struct library_call *call, const struct library_access *access);

/* ---- copy.c: on private copies */

void library_copy_in(struct library_call *call);
void library_copy_out(struct library_call *call);

#endif
