#ifndef RADDLE_TRACE_READER_H
#define RADDLE_TRACE_READER_H

/* Within the room: the fields of a line of a trace file. Each function reads from where the one before stopped; those
 * that say bool have complained if it is false, except for the skips. */

#include "trace/trace.h"

struct reader {
    const char *at;   /* next byte of the line */
    const char *end;  /* of the line, where its newline is */
    const char *stop; /* of the text */
    uint32_t line;
    uint32_t bug_line;
    bool damaged; /* the checksum is wrong, so a strange line is nobody's fault but the damage's */
    bool failed;
    struct trace *trace;
    struct trace_error *error;
};

/* Keeps the first complaint. Always false. */
__attribute__((format(printf, 2, 3))) bool reader_fail(struct reader *r, const char *format, ...);

/* The rest of the line, as much as is good for a message. */
const char *reader_rest(const struct reader *r, char *buffer, size_t size);

/* Complains that `what` should come next. Always false. */
bool reader_missing(struct reader *r, const char *what);

/* Goes past `text` if it comes next. */
bool reader_skip(struct reader *r, const char *text);

/* Goes past a word that ends there; `word` begins with its space, unless it is the first of the line. */
bool reader_skip_word(struct reader *r, const char *word);
bool reader_want_word(struct reader *r, const char *word);

/* The value of a digit in lower case; 16 if it is none. */
int reader_digit(char byte);

/* Digits, after `before`. */
bool reader_want_digits(struct reader *r, const char *before, unsigned base, uint64_t max,
                        uint64_t *number);
bool reader_want_u32(struct reader *r, const char *before, uint32_t *number);

/* A string after a space, in memory of the trace; NULL after a complaint. */
char *reader_want_bytes(struct reader *r, size_t *length);

/* The same, without zero bytes. */
bool reader_want_string(struct reader *r, const char **text);

/* An optional field, " word" and a string. */
bool reader_text(struct reader *r, const char *word, const char **text);

/* An optional field, " word" and a number; *number is left alone without it. */
bool reader_number(struct reader *r, const char *word, uint32_t *number);

/* An optional place: " at" and " in". */
bool reader_site(struct reader *r, struct trace_site *site);

#endif
