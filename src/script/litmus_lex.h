#ifndef RADDLE_SCRIPT_LITMUS_LEX_H
#define RADDLE_SCRIPT_LITMUS_LEX_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "script/read_error.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,   /* letters, digits, _ and . */
    TOKEN_NUMBER, /* decimal or 0x, without a sign */
    TOKEN_PUNCT,
};

/* A piece of the source; `text` is not terminated. */
struct token {
    enum token_kind kind;
    const char *text;
    uint32_t length;
    int64_t number; /* TOKEN_NUMBER */
    uint32_t line, column;
};

/* Reads tokens on demand, with one token of lookahead. A litmus test mixes several little
 * languages: the flags say in which of them the next token is read; set them before moving on. */
struct litmus_lexer {
    const char *at, *end;
    const char *line_start;
    uint32_t line;
    bool ml_comments;   /* (* nested *), which in C code would swallow "(*x)" */
    bool c_comments;    /* and the other C ones */
    bool columns;       /* "||" is two column marks, not an operator */
    struct token token; /* the current one */
    struct read_error *error;
    jmp_buf escape; /* where errors go: every allocation hangs from the reader, so nothing leaks */
};

void litmus_lexer_open(struct litmus_lexer *lexer, const char *source, size_t length,
                       struct read_error *error);

/* Moves to the next token. */
void litmus_lexer_next(struct litmus_lexer *lexer);

/* Skips blanks and comments without reading a token: for the header, which is read by lines. */
void litmus_lexer_skip_blanks(struct litmus_lexer *lexer);

/* Reports an error at the current token, at `token`, or at the character about to be read, and
 * jumps to lexer->escape. */
_Noreturn void litmus_lexer_fail(struct litmus_lexer *lexer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
_Noreturn void litmus_lexer_fail_token(struct litmus_lexer *lexer, const struct token *token,
                                       const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void litmus_lexer_fail_here(struct litmus_lexer *lexer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether `token` reads exactly `text`; the second one ignores case. */
bool token_is(const struct token *token, const char *text);
bool token_is_caseless(const struct token *token, const char *text);

/* Whether the current token reads `text`. */
bool litmus_lexer_at(const struct litmus_lexer *lexer, const char *text);

/* Moves on and returns true if the current token reads `text`. */
bool litmus_lexer_accept(struct litmus_lexer *lexer, const char *text);

/* Moves past `text`, or fails saying that it was expected. */
void litmus_lexer_expect(struct litmus_lexer *lexer, const char *text);

/* Moves past a name or a number (with an optional minus sign), or fails; `what` names it. */
struct token litmus_lexer_name(struct litmus_lexer *lexer, const char *what);
int64_t litmus_lexer_number(struct litmus_lexer *lexer, const char *what);

/* A copy of the token as a string; the caller frees it. Never NULL. */
char *token_copy(const struct token *token);

/* The token, fit for an error message: short, and nothing unprintable. */
struct token_text {
    char text[44];
};
struct token_text token_show(const struct token *token);

#endif
