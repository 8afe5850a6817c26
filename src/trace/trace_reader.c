#include "trace/trace_reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "trace/utf8.h"

/* Keeps the first complaint. Always false. */
__attribute__((format(printf, 2, 3))) bool reader_fail(struct reader *r, const char *format, ...)
{
    va_list arguments;
    int used = 0;

    if (r->failed)
        return false;
    r->failed = true;
    r->error->line = r->line;
    if (r->damaged)
        used = snprintf(r->error->message, sizeof r->error->message, "the file is damaged: ");
    va_start(arguments, format);
    vsnprintf(r->error->message + used, sizeof r->error->message - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

/* The rest of the line, as much as is good for a message. */
const char *reader_rest(const struct reader *r, char *buffer, size_t size)
{
    size_t used = 0;

    for (const char *at = r->at; at < r->end && used + 4 < size; at++)
        buffer[used++] = *at >= ' ' && *at < 0x7f ? *at : '?';
    buffer[used] = '\0';
    if (r->at + used < r->end)
        memcpy(buffer + used, "...", 4);
    return buffer;
}

bool reader_missing(struct reader *r, const char *what)
{
    char found[40];

    if (r->at == r->end)
        return reader_fail(r, "%s is missing at the end of the line", what);
    return reader_fail(r, "%s is missing before '%s'", what, reader_rest(r, found, sizeof found));
}

/* ---- fields of a line */

/* Goes past `text` if it comes next. */
bool reader_skip(struct reader *r, const char *text)
{
    size_t length = strlen(text);

    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* Goes past a word that ends there; `word` begins with its space, unless it is the first of the
 * line. */
bool reader_skip_word(struct reader *r, const char *word)
{
    const char *before = r->at;

    if (!reader_skip(r, word))
        return false;
    if (r->at == r->end || *r->at == ' ')
        return true;
    r->at = before;
    return false;
}

bool reader_want_word(struct reader *r, const char *word)
{
    char what[40];

    if (reader_skip_word(r, word))
        return true;
    snprintf(what, sizeof what, "'%s'", word + (*word == ' '));
    return reader_missing(r, what);
}

int reader_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : 16;
}

/* Digits, after `before`. */
bool reader_want_digits(struct reader *r, const char *before, unsigned base, uint64_t max,
                        uint64_t *number)
{
    const char *first;

    if (!reader_skip(r, before))
        return reader_missing(r, "a number");
    *number = 0;
    for (first = r->at; r->at < r->end && (unsigned)reader_digit(*r->at) < base; r->at++) {
        unsigned digit = (unsigned)reader_digit(*r->at);

        if (*number > (max - digit) / base)
            return reader_fail(r, "a number is larger than %" PRIu64, max);
        *number = *number * base + digit;
    }
    return r->at > first || reader_missing(r, "a number");
}

bool reader_want_u32(struct reader *r, const char *before, uint32_t *number)
{
    uint64_t wide;

    if (!reader_want_digits(r, before, 10, UINT32_MAX, &wide))
        return false;
    *number = (uint32_t)wide;
    return true;
}

/* What stands behind a backslash; a value above 255 if nothing that we write. */
static unsigned escape_read(struct reader *r)
{
    char byte = r->at < r->end ? *r->at++ : '\0';
    unsigned value;

    if (byte == 'n' || byte == 't')
        return byte == 'n' ? '\n' : '\t';
    if (byte == '"' || byte == '\\')
        return (unsigned char)byte;
    if (byte != 'x' || r->end - r->at < 2 || reader_digit(r->at[0]) > 15 ||
        reader_digit(r->at[1]) > 15)
        return 256;
    value = (unsigned)(reader_digit(r->at[0]) * 16 + reader_digit(r->at[1]));
    r->at += 2;
    return value;
}

/* One character of a string, to *to; false at the closing quote and on errors. */
static bool string_next(struct reader *r, char **to)
{
    uint32_t character;
    size_t size;
    unsigned byte;

    if (r->at == r->end)
        return reader_fail(r, "a string has no closing quote");
    if (*r->at == '"')
        return false;
    if (*r->at == '\\') {
        r->at++;
        byte = escape_read(r);
        if (byte > 255)
            return reader_fail(r, "a backslash is followed by none of n t \" \\ x and two digits");
        *(*to)++ = (char)byte;
        return true;
    }
    size = utf8_decode(r->at, r->end, &character);
    if (size == 0)
        return reader_fail(r, "a string is not UTF-8");
    if (character < ' ' || character == 0x7f)
        return reader_fail(r, "a control character in a string");
    memcpy(*to, r->at, size);
    *to += size;
    r->at += size;
    return true;
}

/* A string after a space, in memory of the trace. A decoded one is never longer than it is
 * written, and the writing ends at the first quote without a backslash, so the room is found
 * first. */
char *reader_want_bytes(struct reader *r, size_t *length)
{
    const char *close;
    char *text, *to;

    if (!reader_skip(r, " \"")) {
        reader_missing(r, "a string in quotes");
        return NULL;
    }
    for (close = r->at; close < r->end && *close != '"'; close++)
        close += *close == '\\' && close + 1 < r->end;
    text = to = arena_alloc(&r->trace->arena, (size_t)(close - r->at) + 1);
    while (string_next(r, &to))
        ;
    if (r->failed)
        return NULL;
    r->at++;
    *to = '\0';
    *length = (size_t)(to - text);
    return text;
}

bool reader_want_string(struct reader *r, const char **text)
{
    size_t length;

    *text = reader_want_bytes(r, &length);
    if (*text && strlen(*text) != length)
        return reader_fail(r, "a string with a zero byte");
    return *text != NULL;
}

/* An optional field, " word" and a string. */
bool reader_text(struct reader *r, const char *word, const char **text)
{
    return !reader_skip_word(r, word) || reader_want_string(r, text);
}

bool reader_site(struct reader *r, struct trace_site *site)
{
    if (reader_skip_word(r, " at") &&
        !(reader_want_string(r, &site->file) && reader_want_u32(r, ":", &site->line) &&
          reader_want_u32(r, ":", &site->column)))
        return false;
    return reader_text(r, " in", &site->function);
}

bool reader_number(struct reader *r, const char *word, uint32_t *number)
{
    return !reader_skip_word(r, word) || reader_want_u32(r, " ", number);
}
