#ifndef RADDLE_SCRIPT_TEXT_LEX_H
#define RADDLE_SCRIPT_TEXT_LEX_H

/* Words, numbers and symbols of the text form, with their places. Input is not trusted: any bytes, of
 * any length. Nothing is copied; tokens point into the source. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "script/read_error.h"

enum { NAME_LENGTH_MAX = 64 };

enum text_token_kind {
    TOKEN_WORD,   /* a letter or _, then letters, digits and _; at most NAME_LENGTH_MAX */
    TOKEN_NUMBER, /* decimal or 0x; no sign */
    TOKEN_SYMBOL, /* one or two characters */
    TOKEN_LINE_END,
    TOKEN_END,
    TOKEN_BAD, /* the error is set; comes for ever */
};

struct text_token {
    enum text_token_kind kind;
    const char *text;
    uint32_t length;
    uint32_t line;
    uint32_t column;
    uint64_t value; /* TOKEN_NUMBER */
    bool hex;       /* TOKEN_NUMBER: a bit pattern, may use the sign bit */
};

struct text_lexer {
    const char *at; /* after `token` */
    const char *end;
    const char *line_start;
    uint32_t line;
    struct text_token token; /* the current one */
    struct read_error *error;
    bool failed; /* the error is set; later ones are ignored */
};

/* Makes the first token the current one. `error` is filled by the first failure only. */
void text_lexer_start(struct text_lexer *lexer, const char *source, size_t length,
                      struct read_error *error);

/* Makes the next token the current one. */
void text_lexer_next(struct text_lexer *lexer);

/* What follows the current token in its line, as one piece (a TOKEN_WORD of any characters and
 * length) without the blanks around it and without a comment. Then the end of the line is the
 * current token. */
struct text_token text_lexer_rest(struct text_lexer *lexer);

bool text_token_is(const struct text_token *token, const char *text);

/* Sets the error to the formatted message at `token`, unless it is set already. Returns false. */
bool text_lexer_fail(struct text_lexer *lexer, const struct text_token *token, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));

/* "expected <what>, found <the current token>". Returns false. */
bool text_lexer_expected(struct text_lexer *lexer, const char *what);

#endif
