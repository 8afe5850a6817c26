#include "script/text_lex.h"

#include <stdarg.h>
#include <string.h>

/* Own classes: those of ctype.h change with the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/* The carriage return only stands before the end of a line: see is_binary. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* -1 if it is no hexadecimal digit. */
static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool text_token_is(const struct text_token *token, const char *text)
{
    return (token->kind == TOKEN_WORD || token->kind == TOKEN_SYMBOL) &&
           strlen(text) == token->length && memcmp(token->text, text, token->length) == 0;
}

bool text_lexer_fail(struct text_lexer *lexer, const struct text_token *token, const char *format,
                     ...)
{
    if (lexer->failed)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(lexer->error->message, sizeof(lexer->error->message), format, arguments);
    va_end(arguments);
    lexer->error->line = token->line;
    lexer->error->column = token->column;
    lexer->failed = true;
    return false;
}

bool text_lexer_expected(struct text_lexer *lexer, const char *what)
{
    const struct text_token *found = &lexer->token;

    if (found->kind == TOKEN_LINE_END)
        return text_lexer_fail(lexer, found, "expected %s, found the end of the line", what);
    if (found->kind == TOKEN_END)
        return text_lexer_fail(lexer, found, "expected %s, found the end of the input", what);
    return text_lexer_fail(lexer, found, "expected %s, found '%.*s'", what,
                           (int)(found->length < NAME_LENGTH_MAX ? found->length : NAME_LENGTH_MAX),
                           found->text);
}

/* Bytes that no text has: printing them could do harm, so the message gives the number. */
static bool is_binary(const struct text_lexer *lexer, const char *at)
{
    unsigned char c = (unsigned char)*at;

    if (c == '\r')
        return at + 1 == lexer->end || at[1] != '\n';
    return (c < ' ' && c != '\t' && c != '\n') || c == 0x7f;
}

static void token_bad(struct text_lexer *lexer, const char *format, const char *at)
{
    struct text_token place = {.line = lexer->line,
                               .column = (uint32_t)(at - lexer->line_start) + 1};

    text_lexer_fail(lexer, &place, format, (unsigned char)*at);
    lexer->token.kind = TOKEN_BAD;
}

/* Past blanks and a comment. False if there was a binary byte. */
static bool skip_blanks(struct text_lexer *lexer)
{
    bool comment = false;

    for (; lexer->at < lexer->end && *lexer->at != '\n'; lexer->at++) {
        if (is_binary(lexer, lexer->at)) {
            token_bad(lexer, "unexpected byte 0x%02x: this is not a text", lexer->at);
            return false;
        }
        comment |= *lexer->at == '#';
        if (!comment && !is_blank(*lexer->at))
            break;
    }
    return true;
}

static void lex_word(struct text_lexer *lexer, struct text_token *token)
{
    while (lexer->at < lexer->end && is_word(*lexer->at))
        lexer->at++;
    token->kind = TOKEN_WORD;
    token->length = (uint32_t)(lexer->at - token->text);
    if (token->length > NAME_LENGTH_MAX) {
        text_lexer_fail(lexer, token, "a name is at most %d characters long, this one has %u",
                        NAME_LENGTH_MAX, token->length);
        token->kind = TOKEN_BAD;
    }
}

static void lex_number(struct text_lexer *lexer, struct text_token *token)
{
    const char *at = token->text;
    bool overflow = false;

    token->kind = TOKEN_NUMBER;
    if (lexer->end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') &&
        digit_value(at[2]) >= 0) {
        token->hex = true;
        at += 2;
    }
    for (; at < lexer->end && (token->hex ? digit_value(*at) >= 0 : is_digit(*at)); at++) {
        unsigned base = token->hex ? 16 : 10;
        overflow |= __builtin_mul_overflow(token->value, base, &token->value);
        overflow |= __builtin_add_overflow(token->value, (unsigned)digit_value(*at), &token->value);
    }
    lexer->at = at;
    token->length = (uint32_t)(at - token->text);
    if (at < lexer->end && is_word(*at)) {
        token_bad(lexer, "a number cannot go on with '%c'", at);
    } else if (overflow) {
        text_lexer_fail(lexer, token, "the number does not fit 64 bits");
        token->kind = TOKEN_BAD;
    }
}

static void lex_symbol(struct text_lexer *lexer, struct text_token *token)
{
    static const char pairs[][3] = {"==", "!=", "<=", ">=", "<<", ">>"};

    token->kind = TOKEN_SYMBOL;
    token->length = 1;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (lexer->end - lexer->at >= 2 && memcmp(lexer->at, pairs[i], 2) == 0)
            token->length = 2;
    if (token->length == 1 && !strchr("=,:.[]+-*/%&|^<>", *lexer->at)) {
        if ((unsigned char)*lexer->at >= 0x80)
            token_bad(lexer, "unexpected byte 0x%02x: only comments may hold it", lexer->at);
        else
            token_bad(lexer, "unexpected character '%c'", lexer->at);
        return;
    }
    lexer->at += token->length;
}

void text_lexer_next(struct text_lexer *lexer)
{
    struct text_token *token = &lexer->token;

    if (lexer->failed) {
        token->kind = TOKEN_BAD;
        return;
    }
    if (token->kind == TOKEN_LINE_END) {
        lexer->line++;
        lexer->line_start = lexer->at;
    }
    if (!skip_blanks(lexer))
        return;
    *token = (struct text_token){.text = lexer->at,
                                 .line = lexer->line,
                                 .column = (uint32_t)(lexer->at - lexer->line_start) + 1};
    if (lexer->at == lexer->end) {
        token->kind = TOKEN_END;
    } else if (*lexer->at == '\n') {
        token->kind = TOKEN_LINE_END;
        lexer->at++;
    } else if (is_digit(*lexer->at)) {
        lex_number(lexer, token);
    } else if (is_word(*lexer->at)) {
        lex_word(lexer, token);
    } else {
        lex_symbol(lexer, token);
    }
}

void text_lexer_start(struct text_lexer *lexer, const char *source, size_t length,
                      struct read_error *error)
{
    *lexer = (struct text_lexer){
        .at = source, .end = source + length, .line_start = source, .line = 1, .error = error};
    if (length >= 3 && memcmp(source, "\xef\xbb\xbf", 3) == 0) { /* byte order mark */
        lexer->at += 3;
        lexer->line_start += 3;
    }
    lexer->token.kind = TOKEN_WORD; /* anything but TOKEN_LINE_END, which would count a line */
    text_lexer_next(lexer);
}

struct text_token text_lexer_rest(struct text_lexer *lexer)
{
    while (lexer->at < lexer->end && (*lexer->at == ' ' || *lexer->at == '\t'))
        lexer->at++;

    struct text_token rest = {.kind = TOKEN_WORD,
                              .text = lexer->at,
                              .line = lexer->line,
                              .column = (uint32_t)(lexer->at - lexer->line_start) + 1};
    while (lexer->at < lexer->end && *lexer->at != '\n' && *lexer->at != '#' &&
           !is_binary(lexer, lexer->at))
        lexer->at++;
    rest.length = (uint32_t)(lexer->at - rest.text);
    while (rest.length > 0 && is_blank(rest.text[rest.length - 1]))
        rest.length--;
    text_lexer_next(lexer);
    return rest;
}
