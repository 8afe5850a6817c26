#include "script/litmus_lex.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "script/litmus_memory.h"

/* Two-character operators of all the languages in a litmus test. */
static const char *const pairs[] = {"/\\", "\\/", "=>", "==", "!=", "<=", ">=", "<<", ">>",
                                    "&&",  "||",  "++", "--", "+=", "-=", "*=", "->"};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_part(char c)
{
    return is_letter(c) || is_digit(c) || c == '.';
}

void litmus_lexer_open(struct litmus_lexer *lexer, const char *source, size_t length,
                       struct read_error *error)
{
    memset(lexer, 0, sizeof(*lexer));
    lexer->at = lexer->line_start = source;
    lexer->end = source + length;
    lexer->line = 1;
    lexer->ml_comments = true;
    lexer->error = error;
}

static _Noreturn void fail(struct litmus_lexer *lexer, uint32_t line, uint32_t column,
                           const char *format, va_list arguments)
{
    lexer->error->line = line;
    lexer->error->column = column;
    vsnprintf(lexer->error->message, sizeof(lexer->error->message), format, arguments);
    longjmp(lexer->escape, 1);
}

void litmus_lexer_fail(struct litmus_lexer *lexer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fail(lexer, lexer->token.line, lexer->token.column, format, arguments);
}

void litmus_lexer_fail_token(struct litmus_lexer *lexer, const struct token *token,
                             const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fail(lexer, token->line, token->column, format, arguments);
}

void litmus_lexer_fail_here(struct litmus_lexer *lexer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fail(lexer, lexer->line, (uint32_t)(lexer->at - lexer->line_start) + 1, format, arguments);
}

static bool looking_at(const struct litmus_lexer *lexer, const char *text)
{
    size_t length = strlen(text);

    return (size_t)(lexer->end - lexer->at) >= length && memcmp(lexer->at, text, length) == 0;
}

static void step(struct litmus_lexer *lexer)
{
    if (*lexer->at++ == '\n') {
        lexer->line++;
        lexer->line_start = lexer->at;
    }
}

/* Skips a comment that starts here. Only (* *) nests, by a counter, so depth costs nothing. */
static void skip_comment(struct litmus_lexer *lexer, const char *open, const char *close,
                         bool nests)
{
    struct litmus_lexer start = *lexer;
    uint32_t depth = 0;

    do {
        if (lexer->at == lexer->end) {
            *lexer = start;
            litmus_lexer_fail_here(lexer, "comment without an end");
        }
        if (looking_at(lexer, close) && depth > 0) {
            depth--;
            lexer->at += 2;
        } else if (looking_at(lexer, open) && (nests || depth == 0)) {
            depth++;
            lexer->at += 2;
        } else {
            step(lexer);
        }
    } while (depth > 0);
}

void litmus_lexer_skip_blanks(struct litmus_lexer *lexer)
{
    while (lexer->at < lexer->end) {
        char c = *lexer->at;

        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
            step(lexer);
        } else if (lexer->ml_comments && looking_at(lexer, "(*")) {
            skip_comment(lexer, "(*", "*)", true);
        } else if (lexer->c_comments && looking_at(lexer, "/*")) {
            skip_comment(lexer, "/*", "*/", false);
        } else if (lexer->c_comments && looking_at(lexer, "//")) {
            while (lexer->at < lexer->end && *lexer->at != '\n')
                lexer->at++;
        } else {
            return;
        }
    }
}

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

static void read_number(struct litmus_lexer *lexer)
{
    int base = looking_at(lexer, "0x") || looking_at(lexer, "0X") ? 16 : 10;
    uint64_t value = 0;

    lexer->at += base == 16 ? 2 : 0;
    const char *first = lexer->at;
    for (; lexer->at < lexer->end && digit_value(*lexer->at) < base; lexer->at++) {
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit_value(*lexer->at), &value))
            litmus_lexer_fail(lexer, "number too large for 64 bits");
    }
    bool empty = lexer->at == first;
    while (lexer->at < lexer->end && strchr("uUlL", *lexer->at) && *lexer->at != '\0')
        lexer->at++;
    if (empty || (lexer->at < lexer->end && is_name_part(*lexer->at)))
        litmus_lexer_fail(lexer, "malformed number");
    lexer->token.kind = TOKEN_NUMBER;
    lexer->token.number = (int64_t)value;
}

static void read_punctuation(struct litmus_lexer *lexer)
{
    lexer->token.kind = TOKEN_PUNCT;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (looking_at(lexer, pairs[i]) && !(lexer->columns && pairs[i][0] == '|')) {
            lexer->at += 2;
            return;
        }
    }
    unsigned char c = (unsigned char)*lexer->at;
    if (c < 0x20 || c >= 0x7f)
        litmus_lexer_fail(lexer, "unexpected byte 0x%02x", c);
    lexer->at++;
}

void litmus_lexer_next(struct litmus_lexer *lexer)
{
    litmus_lexer_skip_blanks(lexer);
    lexer->token = (struct token){
        .kind = TOKEN_END,
        .text = lexer->at,
        .line = lexer->line,
        .column = (uint32_t)(lexer->at - lexer->line_start) + 1,
    };
    if (lexer->at == lexer->end)
        return;
    char c = *lexer->at;
    if (is_digit(c)) {
        read_number(lexer);
    } else if (is_letter(c) ||
               (c == '.' && lexer->end - lexer->at > 1 && is_letter(lexer->at[1]))) {
        lexer->token.kind = TOKEN_NAME;
        while (lexer->at < lexer->end && is_name_part(*lexer->at))
            lexer->at++;
    } else {
        read_punctuation(lexer);
    }
    lexer->token.length = (uint32_t)(lexer->at - lexer->token.text);
}

bool token_is(const struct token *token, const char *text)
{
    return token->kind != TOKEN_END && strlen(text) == token->length &&
           memcmp(token->text, text, token->length) == 0;
}

bool token_is_caseless(const struct token *token, const char *text)
{
    return token->kind != TOKEN_END && strlen(text) == token->length &&
           strncasecmp(token->text, text, token->length) == 0;
}

bool litmus_lexer_at(const struct litmus_lexer *lexer, const char *text)
{
    return token_is(&lexer->token, text);
}

bool litmus_lexer_accept(struct litmus_lexer *lexer, const char *text)
{
    if (!litmus_lexer_at(lexer, text))
        return false;
    litmus_lexer_next(lexer);
    return true;
}

void litmus_lexer_expect(struct litmus_lexer *lexer, const char *text)
{
    if (!litmus_lexer_accept(lexer, text))
        litmus_lexer_fail(lexer, "expected '%s', found %s", text, token_show(&lexer->token).text);
}

struct token litmus_lexer_name(struct litmus_lexer *lexer, const char *what)
{
    struct token token = lexer->token;

    if (token.kind != TOKEN_NAME)
        litmus_lexer_fail(lexer, "expected %s, found %s", what, token_show(&token).text);
    litmus_lexer_next(lexer);
    return token;
}

int64_t litmus_lexer_number(struct litmus_lexer *lexer, const char *what)
{
    bool negative = litmus_lexer_accept(lexer, "-");
    struct token token = lexer->token;

    if (token.kind != TOKEN_NUMBER)
        litmus_lexer_fail(lexer, "expected %s, found %s", what, token_show(&token).text);
    litmus_lexer_next(lexer);
    return negative ? (int64_t)(0 - (uint64_t)token.number) : token.number;
}

char *token_copy(const struct token *token)
{
    return litmus_copy(token->text, token->length);
}

struct token_text token_show(const struct token *token)
{
    struct token_text shown = {"the end of the file"};
    char text[33];
    size_t length = token->length < 32 ? token->length : 32;

    if (token->kind == TOKEN_END)
        return shown;
    for (size_t i = 0; i < length; i++)
        text[i] = token->text[i] >= 0x20 && token->text[i] < 0x7f ? token->text[i] : '?';
    text[length] = '\0';
    snprintf(shown.text, sizeof(shown.text), "'%s'%s", text, token->length > 32 ? "..." : "");
    return shown;
}
