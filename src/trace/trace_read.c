#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <xxhash.h>

#include "trace/trace.h"
#include "trace/utf8.h"

#define FIRST_WORDS "raddle trace "

/* "end ", 16 digits, newline */
#define END_LENGTH 21

/* More than any run has; so that lines count in 32 bits, and hostile ones cannot fill the memory.
 * */
#define BYTES_MAX   ((size_t)256 << 20)
#define OPTIONS_MAX 64

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
__attribute__((format(printf, 2, 3))) static bool fail(struct reader *r, const char *format, ...)
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
static const char *rest(const struct reader *r, char *buffer, size_t size)
{
    size_t used = 0;

    for (const char *at = r->at; at < r->end && used + 4 < size; at++)
        buffer[used++] = *at >= ' ' && *at < 0x7f ? *at : '?';
    buffer[used] = '\0';
    if (r->at + used < r->end)
        memcpy(buffer + used, "...", 4);
    return buffer;
}

static bool fail_expected(struct reader *r, const char *what)
{
    char found[40];

    if (r->at == r->end)
        return fail(r, "%s is missing at the end of the line", what);
    return fail(r, "%s is missing before '%s'", what, rest(r, found, sizeof found));
}

/* ---- fields of a line */

/* Goes past `text` if it comes next. */
static bool skip(struct reader *r, const char *text)
{
    size_t length = strlen(text);

    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* Goes past a word that ends there; `word` begins with its space, unless it is the first of the
 * line. */
static bool skip_word(struct reader *r, const char *word)
{
    const char *before = r->at;

    if (!skip(r, word))
        return false;
    if (r->at == r->end || *r->at == ' ')
        return true;
    r->at = before;
    return false;
}

static bool want_word(struct reader *r, const char *word)
{
    char what[40];

    if (skip_word(r, word))
        return true;
    snprintf(what, sizeof what, "'%s'", word + (*word == ' '));
    return fail_expected(r, what);
}

static int digit_of(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : 16;
}

/* Digits, after `before`. */
static bool want_digits(struct reader *r, const char *before, unsigned base, uint64_t max,
                        uint64_t *number)
{
    const char *first;

    if (!skip(r, before))
        return fail_expected(r, "a number");
    *number = 0;
    for (first = r->at; r->at < r->end && (unsigned)digit_of(*r->at) < base; r->at++) {
        unsigned digit = (unsigned)digit_of(*r->at);

        if (*number > (max - digit) / base)
            return fail(r, "a number is larger than %" PRIu64, max);
        *number = *number * base + digit;
    }
    return r->at > first || fail_expected(r, "a number");
}

static bool want_u32(struct reader *r, const char *before, uint32_t *number)
{
    uint64_t wide;

    if (!want_digits(r, before, 10, UINT32_MAX, &wide))
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
    if (byte != 'x' || r->end - r->at < 2 || digit_of(r->at[0]) > 15 || digit_of(r->at[1]) > 15)
        return 256;
    value = (unsigned)(digit_of(r->at[0]) * 16 + digit_of(r->at[1]));
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
        return fail(r, "a string has no closing quote");
    if (*r->at == '"')
        return false;
    if (*r->at == '\\') {
        r->at++;
        byte = escape_read(r);
        if (byte > 255)
            return fail(r, "a backslash is followed by none of n t \" \\ x and two digits");
        *(*to)++ = (char)byte;
        return true;
    }
    size = utf8_decode(r->at, r->end, &character);
    if (size == 0)
        return fail(r, "a string is not UTF-8");
    if (character < ' ' || character == 0x7f)
        return fail(r, "a control character in a string");
    memcpy(*to, r->at, size);
    *to += size;
    r->at += size;
    return true;
}

/* A string after a space, in memory of the trace. A decoded one is never longer than it is
 * written, and the writing ends at the first quote without a backslash, so the room is found
 * first. */
static char *want_bytes(struct reader *r, size_t *length)
{
    const char *close;
    char *text, *to;

    if (!skip(r, " \"")) {
        fail_expected(r, "a string in quotes");
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

static bool want_string(struct reader *r, const char **text)
{
    size_t length;

    *text = want_bytes(r, &length);
    if (*text && strlen(*text) != length)
        return fail(r, "a string with a zero byte");
    return *text != NULL;
}

/* An optional field, " word" and a string. */
static bool read_text(struct reader *r, const char *word, const char **text)
{
    return !skip_word(r, word) || want_string(r, text);
}

static bool read_site(struct reader *r, struct trace_site *site)
{
    if (skip_word(r, " at") && !(want_string(r, &site->file) && want_u32(r, ":", &site->line) &&
                                 want_u32(r, ":", &site->column)))
        return false;
    return read_text(r, " in", &site->function);
}

/* ---- lines; each function reads one behind its first word */

static bool read_program(struct reader *r)
{
    return want_string(r, &r->trace->program);
}

static bool read_argument(struct reader *r)
{
    const char *text;

    if (!want_string(r, &text))
        return false;
    vec_push(&r->trace->arena, &r->trace->arguments, text);
    return true;
}

static bool read_build(struct reader *r)
{
    return want_digits(r, " ", 16, UINT64_MAX, &r->trace->build);
}

static bool read_model(struct reader *r)
{
    return want_string(r, &r->trace->model) &&
           (!skip_word(r, " buffer-bound") || want_u32(r, " ", &r->trace->buffer_bound));
}

static bool read_option(struct reader *r)
{
    struct trace_option option;

    if (!want_string(r, &option.name) || !want_string(r, &option.value))
        return false;
    if (r->trace->options.count == OPTIONS_MAX)
        return fail(r, "more than %d options", OPTIONS_MAX);
    if (trace_option(r->trace, option.name))
        return fail(r, "an option is there twice");
    vec_push(&r->trace->arena, &r->trace->options, option);
    return true;
}

static bool read_bug(struct reader *r)
{
    struct trace_bug *bug = &r->trace->bug;

    r->bug_line = r->line;
    return want_string(r, &bug->kind) && want_word(r, " thread") &&
           want_u32(r, " ", &bug->thread) && read_site(r, &bug->site);
}

static bool read_message(struct reader *r)
{
    return want_string(r, &r->trace->bug.message);
}

static bool read_detail(struct reader *r)
{
    const char *text;

    if (!want_string(r, &text))
        return false;
    vec_push(&r->trace->arena, &r->trace->bug.details, text);
    return true;
}

static bool read_thread(struct reader *r)
{
    struct trace_thread thread = {0};
    uint32_t count = r->trace->threads.count;

    if (!want_word(r, " parent") || !want_u32(r, " ", &thread.parent) || !want_word(r, " rank") ||
        !want_u32(r, " ", &thread.rank) || !read_text(r, " name", &thread.name) ||
        !read_site(r, &thread.created))
        return false;
    if (thread.parent >= (count ? count : 1))
        return fail(r, "thread %" PRIu32 " has a parent that comes after it", count);
    vec_push(&r->trace->arena, &r->trace->threads, thread);
    return true;
}

/* Whether `word` is the name of an operation in lower case. */
static bool is_op(const char *name, const char *word, size_t length)
{
    size_t i = 0;

    while (i < length && name[i] && word[i] == (char)tolower((unsigned char)name[i]))
        i++;
    return i == length && name[i] == '\0';
}

static bool want_op(struct reader *r, uint8_t *op)
{
    const char *word, *space;
    char found[40];

    if (!skip(r, " "))
        return fail_expected(r, "an operation");
    word = r->at;
    space = memchr(word, ' ', (size_t)(r->end - word));
    for (unsigned kind = 0; kind < OP_KIND_COUNT; kind++) {
        const char *end = space ? space : r->end;

        if (!is_op(op_infos[kind].name, word, (size_t)(end - word)))
            continue;
        *op = (uint8_t)kind;
        r->at = end;
        return true;
    }
    return fail(r, "an operation that this raddle does not know: '%s'",
                rest(r, found, sizeof found));
}

static bool read_outcome(struct reader *r, outcome_id *outcome)
{
    if (!skip_word(r, " outcome"))
        return true;
    if (!skip_word(r, " lost"))
        return want_u32(r, " ", outcome);
    *outcome = OUTCOME_LOST;
    return true;
}

static bool read_access(struct reader *r, struct trace_step *step)
{
    uint64_t size = 0;

    step->buffered = skip_word(r, " buffered");
    step->reads = skip_word(r, " reads");
    step->writes = skip_word(r, " writes");
    if (skip_word(r, " size") && !want_digits(r, " ", 10, UINT8_MAX, &size))
        return false;
    step->size = (uint8_t)size;
    return !skip_word(r, " value") || want_digits(r, " ", 10, UINT64_MAX, &step->value);
}

static bool read_step(struct reader *r)
{
    struct trace_step step = {0};

    if (!want_u32(r, " ", &step.thread) || !want_op(r, &step.op))
        return false;
    step.is_buffer = skip_word(r, " buffer");
    if ((step.is_buffer && !want_digits(r, " 0x", 16, UINT64_MAX, &step.addr)) ||
        !read_access(r, &step) || !read_outcome(r, &step.outcome) ||
        !read_text(r, " object", &step.object) || !read_text(r, " text", &step.text) ||
        !read_site(r, &step.site))
        return false;
    if (step.thread >= r->trace->threads.count)
        return fail(r, "there is no thread %" PRIu32, step.thread);
    if (step.op == OP_COND_SIGNAL && step.outcome != OUTCOME_LOST &&
        step.outcome >= r->trace->threads.count)
        return fail(r, "a signal wakes thread %" PRIu32 ", which does not exist", step.outcome);
    vec_push(&r->trace->arena, &r->trace->steps, step);
    return true;
}

static bool read_output(struct reader *r)
{
    size_t length;
    char *bytes = want_bytes(r, &length);

    if (!bytes)
        return false;
    trace_add_output(r->trace, bytes, length);
    return true;
}

/* ---- the whole */

/* The lines in the order in which they must come. */
static const struct line_kind {
    const char *word;
    bool many;     /* any number of them; else at most one */
    bool required; /* one at least */
    bool (*read)(struct reader *r);
} line_kinds[] = {
    {"program", false, true, read_program}, {"argument", true, false, read_argument},
    {"build", false, true, read_build},     {"model", false, true, read_model},
    {"option", true, false, read_option},   {"bug", false, true, read_bug},
    {"message", false, true, read_message}, {"detail", true, false, read_detail},
    {"thread", true, true, read_thread},    {"step", true, false, read_step},
    {"output", true, false, read_output},   {"end", false, true, NULL},
};

/* Moves to the next line; there is one, as the text ends with the line "end". */
static void line_next(struct reader *r)
{
    r->at = r->end + 1;
    r->end = memchr(r->at, '\n', (size_t)(r->stop - r->at));
    r->line++;
}

/* The kind of this line, not before `*kind`, which was `seen`; complains if one in between is
 * missing. */
static bool kind_next(struct reader *r, size_t *kind, bool seen)
{
    char found[40];
    size_t next = *kind;

    while (next < sizeof line_kinds / sizeof *line_kinds && !skip_word(r, line_kinds[next].word))
        next++;
    if (next == sizeof line_kinds / sizeof *line_kinds)
        return fail(r, "this line is unknown or in the wrong place: '%s'",
                    rest(r, found, sizeof found));
    if (next == *kind && seen && !line_kinds[next].many)
        return fail(r, "a second line '%s'", line_kinds[next].word);
    for (size_t i = *kind + seen; i < next; i++)
        if (line_kinds[i].required)
            return fail(r, "the line '%s' is missing before this one", line_kinds[i].word);
    *kind = next;
    return true;
}

static bool lines_read(struct reader *r)
{
    char found[40];
    size_t kind = 0;
    bool seen = false;

    for (;;) {
        line_next(r);
        if (!kind_next(r, &kind, seen))
            return false;
        seen = true;
        if (!line_kinds[kind].read)
            break;
        if (!line_kinds[kind].read(r))
            return false;
        if (r->at != r->end)
            return fail(r, "the line goes on with '%s'", rest(r, found, sizeof found));
    }
    if (r->end + 1 != r->stop)
        return fail(r, "the line 'end' is not the last one");
    if (r->damaged)
        return fail(r, "its checksum does not match");
    r->line = r->bug_line;
    if (r->trace->bug.thread >= r->trace->threads.count)
        return fail(r, "there is no thread %" PRIu32, r->trace->bug.thread);
    return true;
}

/* The first line; leaves it between at and end. */
static bool version_read(struct reader *r)
{
    uint64_t version = 0;

    if (!skip(r, FIRST_WORDS))
        return fail(r, "not a raddle trace: the first line is not '" FIRST_WORDS "%u'",
                    TRACE_VERSION);
    if (!want_digits(r, "", 10, UINT32_MAX, &version))
        return false;
    if (version > TRACE_VERSION)
        return fail(r,
                    "version %" PRIu64 " of the format, but this raddle reads version %u: take a "
                    "newer raddle",
                    version, TRACE_VERSION);
    if (version != TRACE_VERSION || r->at != r->end)
        return fail(r, "not a version of the format");
    return true;
}

/* Whether the last line is there; a wrong checksum is noted, and told when all else is fine. */
static bool end_read(struct reader *r, const char *text, size_t length)
{
    const char *last = text + length - END_LENGTH;
    uint64_t wanted = 0;
    bool whole = length > END_LENGTH && last[-1] == '\n' && memcmp(last, "end ", 4) == 0 &&
                 text[length - 1] == '\n';

    for (int i = 4; whole && i < END_LENGTH - 1; i++) {
        whole = digit_of(last[i]) < 16;
        wanted = wanted << 4 | (uint64_t)(digit_of(last[i]) & 15);
    }
    if (whole) {
        r->damaged = wanted != XXH3_64bits(text, length - END_LENGTH);
        return true;
    }
    for (size_t i = 0; i + 1 < length; i++)
        r->line += text[i] == '\n';
    return fail(r, "the file is cut short: it does not end with the line 'end' and its checksum");
}

static bool text_check(struct reader *r, const char *text, size_t length)
{
    const char *newline = length ? memchr(text, '\n', length) : NULL;

    r->at = text;
    r->stop = text + length;
    r->end = newline ? newline : r->stop;
    if (length == 0)
        return fail(r, "the file is empty");
    if (length > BYTES_MAX)
        return fail(r, "the file is larger than 256 MiB");
    return version_read(r) && end_read(r, text, length);
}

bool trace_read(const char *text, size_t length, struct trace *trace, struct trace_error *error)
{
    struct reader r = {.line = 1, .trace = trace, .error = error};

    *trace = (struct trace){0};
    *error = (struct trace_error){0};
    if (!text_check(&r, text, length))
        return false;
    if (trace_open(trace) != 0) {
        snprintf(error->message, sizeof error->message, "out of memory");
        return false;
    }
    if (lines_read(&r))
        return true;
    trace_free(trace);
    return false;
}
