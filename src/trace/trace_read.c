#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "model/order.h"
#include "trace/trace_reader.h"

#define FIRST_WORDS "raddle trace "

/* "end ", 16 digits, newline */
#define END_LENGTH 21

/* More than any run has; so that lines count in 32 bits, and hostile ones cannot fill the memory.
 * */
#define BYTES_MAX   ((size_t)256 << 20)
#define OPTIONS_MAX 64

/* ---- lines; each function reads one behind its first word */

static bool read_program(struct reader *r)
{
    return reader_want_string(r, &r->trace->program);
}

static bool read_argument(struct reader *r)
{
    const char *text;

    if (!reader_want_string(r, &text))
        return false;
    vec_push(&r->trace->arena, &r->trace->arguments, text);
    return true;
}

static bool read_build(struct reader *r)
{
    return reader_want_digits(r, " ", 16, UINT64_MAX, &r->trace->build);
}

static bool read_model(struct reader *r)
{
    return reader_want_string(r, &r->trace->model) &&
           (!reader_skip_word(r, " buffer-bound") ||
            reader_want_u32(r, " ", &r->trace->buffer_bound));
}

static bool read_option(struct reader *r)
{
    struct trace_option option;

    if (!reader_want_string(r, &option.name) || !reader_want_string(r, &option.value))
        return false;
    if (r->trace->options.count == OPTIONS_MAX)
        return reader_fail(r, "more than %d options", OPTIONS_MAX);
    if (trace_option(r->trace, option.name))
        return reader_fail(r, "an option is there twice");
    vec_push(&r->trace->arena, &r->trace->options, option);
    return true;
}

static bool read_bug(struct reader *r)
{
    struct trace_bug *bug = &r->trace->bug;

    r->bug_line = r->line;
    return reader_want_string(r, &bug->kind) && reader_want_word(r, " thread") &&
           reader_want_u32(r, " ", &bug->thread) && reader_site(r, &bug->site) &&
           reader_number(r, " stack", &bug->stack);
}

static bool read_message(struct reader *r)
{
    return reader_want_string(r, &r->trace->bug.message);
}

static bool read_detail(struct reader *r)
{
    const char *text;

    if (!reader_want_string(r, &text))
        return false;
    vec_push(&r->trace->arena, &r->trace->bug.details, text);
    return true;
}

static bool read_thread(struct reader *r)
{
    struct trace_thread thread = {0};
    uint32_t count = r->trace->threads.count;

    if (!reader_want_word(r, " parent") || !reader_want_u32(r, " ", &thread.parent) ||
        !reader_want_word(r, " rank") || !reader_want_u32(r, " ", &thread.rank) ||
        !reader_text(r, " name", &thread.name) || !reader_site(r, &thread.created))
        return false;
    if (thread.parent >= (count ? count : 1))
        return reader_fail(r, "thread %" PRIu32 " has a parent that comes after it", count);
    vec_push(&r->trace->arena, &r->trace->threads, thread);
    return true;
}

static bool read_file(struct reader *r)
{
    const char *text;

    if (!reader_want_string(r, &text))
        return false;
    vec_push(&r->trace->arena, &r->trace->files, text);
    return true;
}

static bool read_source(struct reader *r)
{
    struct trace *trace = r->trace;
    struct trace_line line = {0};
    const struct trace_line *last = trace->lines.count ? &vec_last(&trace->lines) : NULL;

    if (!reader_want_u32(r, " ", &line.file) || !reader_want_u32(r, " ", &line.number) ||
        !reader_want_string(r, &line.text))
        return false;
    if (line.file >= trace->files.count)
        return reader_fail(r, "there is no file %" PRIu32, line.file);
    if (last &&
        (last->file > line.file || (last->file == line.file && last->number >= line.number)))
        return reader_fail(r, "source lines are not in order");
    vec_push(&trace->arena, &trace->lines, line);
    return true;
}

static bool read_frame(struct reader *r)
{
    struct trace_frame frame = {0};

    if (!reader_number(r, " up", &frame.up) || !reader_site(r, &frame.site))
        return false;
    if (frame.up > r->trace->frames.count)
        return reader_fail(r, "a frame has a caller that comes after it");
    vec_push(&r->trace->arena, &r->trace->frames, frame);
    return true;
}

static bool read_cell(struct reader *r, uint64_t *cell)
{
    return !reader_skip_word(r, " cell") || reader_want_digits(r, " 0x", 16, UINT64_MAX, cell);
}

static bool read_variable(struct reader *r)
{
    struct trace_variable variable = {0};

    if (!reader_want_string(r, &variable.name) || !reader_want_word(r, " kind") ||
        !reader_want_string(r, &variable.kind) || !read_cell(r, &variable.cell))
        return false;
    vec_push(&r->trace->arena, &r->trace->variables, variable);
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

    if (!reader_skip(r, " "))
        return reader_missing(r, "an operation");
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
    return reader_fail(r, "an operation that this raddle does not know: '%s'",
                       reader_rest(r, found, sizeof found));
}

static bool read_outcome(struct reader *r, outcome_id *outcome)
{
    if (!reader_skip_word(r, " outcome"))
        return true;
    if (!reader_skip_word(r, " lost"))
        return reader_want_u32(r, " ", outcome);
    *outcome = OUTCOME_LOST;
    return true;
}

static bool read_order(struct reader *r, struct trace_step *step)
{
    char found[40], word[16];

    if (!reader_skip_word(r, " order"))
        return true;
    for (uint8_t order = 0; order <= ORDER_SEQ_CST; order++) {
        snprintf(word, sizeof word, " %s", memory_order_words[order]);
        if (reader_skip_word(r, word)) {
            step->order = (uint8_t)(order + 1);
            return true;
        }
    }
    return reader_fail(r, "no memory order: '%s'", reader_rest(r, found, sizeof found));
}

static bool read_access(struct reader *r, struct trace_step *step)
{
    uint64_t size = 0;

    if (!read_order(r, step))
        return false;
    step->plain = reader_skip_word(r, " plain");
    step->buffered = reader_skip_word(r, " buffered");
    step->failed = reader_skip_word(r, " failed");
    step->reads = reader_skip_word(r, " reads");
    step->writes = reader_skip_word(r, " writes");
    if (reader_skip_word(r, " size") && !reader_want_digits(r, " ", 10, UINT8_MAX, &size))
        return false;
    step->size = (uint8_t)size;
    if (reader_skip_word(r, " value") && !reader_want_digits(r, " ", 10, UINT64_MAX, &step->value))
        return false;
    return read_cell(r, &step->cell) && reader_number(r, " issued", &step->issued);
}

static bool read_step(struct reader *r)
{
    struct trace_step step = {0};

    if (!reader_want_u32(r, " ", &step.thread) || !want_op(r, &step.op))
        return false;
    step.is_buffer = reader_skip_word(r, " buffer");
    if ((step.is_buffer && !reader_want_digits(r, " 0x", 16, UINT64_MAX, &step.addr)) ||
        !read_access(r, &step) || !read_outcome(r, &step.outcome) ||
        !reader_text(r, " object", &step.object) || !reader_text(r, " text", &step.text) ||
        !reader_site(r, &step.site) || !reader_number(r, " stack", &step.stack))
        return false;
    if (step.issued > r->trace->steps.count)
        return reader_fail(r, "a store after step %" PRIu32 " reaches memory before it",
                           step.issued);
    if (step.stack > r->trace->frames.count)
        return reader_fail(r, "there is no frame %" PRIu32, step.stack);
    if (step.thread >= r->trace->threads.count)
        return reader_fail(r, "there is no thread %" PRIu32, step.thread);
    if (step.op == OP_COND_SIGNAL && step.outcome != OUTCOME_LOST &&
        step.outcome >= r->trace->threads.count)
        return reader_fail(r, "a signal wakes thread %" PRIu32 ", which does not exist",
                           step.outcome);
    vec_push(&r->trace->arena, &r->trace->steps, step);
    return true;
}

static bool read_value(struct reader *r)
{
    struct trace *trace = r->trace;
    struct trace_value value = {0};

    if (!reader_want_u32(r, " ", &value.step) || !reader_want_u32(r, " ", &value.variable) ||
        !reader_want_string(r, &value.text))
        return false;
    if (value.step > trace->steps.count)
        return reader_fail(r, "there is no step %" PRIu32, value.step);
    if (value.variable >= trace->variables.count)
        return reader_fail(r, "there is no variable %" PRIu32, value.variable);
    if (trace->values.count && vec_last(&trace->values).step > value.step)
        return reader_fail(r, "values are not in the order of steps");
    vec_push(&trace->arena, &trace->values, value);
    return true;
}

static bool read_wait(struct reader *r)
{
    struct trace *trace = r->trace;
    struct trace_wait wait = {0};
    uint32_t on = 0;
    bool known;

    if (!reader_want_u32(r, " ", &wait.thread))
        return false;
    known = reader_skip_word(r, " on");
    if ((known && !reader_want_u32(r, " ", &on)) || !reader_want_word(r, " text") ||
        !reader_want_string(r, &wait.text) || !reader_site(r, &wait.site) ||
        !reader_number(r, " stack", &wait.stack))
        return false;
    wait.on = known ? on + 1 : 0;
    if (wait.thread >= trace->threads.count || on >= trace->threads.count)
        return reader_fail(r, "there is no thread %" PRIu32,
                           wait.thread < trace->threads.count ? on : wait.thread);
    if (wait.stack > trace->frames.count)
        return reader_fail(r, "there is no frame %" PRIu32, wait.stack);
    vec_push(&trace->arena, &trace->waits, wait);
    return true;
}

static bool read_side(struct reader *r)
{
    struct trace *trace = r->trace;
    struct trace_side side = {0};

    if (!reader_want_u32(r, " ", &side.thread) || !reader_number(r, " step", &side.step) ||
        !reader_text(r, " what", &side.what))
        return false;
    while (reader_skip_word(r, " lock")) {
        const char *lock;

        if (!reader_want_string(r, &lock))
            return false;
        vec_push(&trace->arena, &side.locks, lock);
    }
    if (!reader_site(r, &side.site) || !reader_number(r, " stack", &side.stack))
        return false;
    if (trace->sides.count == 2)
        return reader_fail(r, "a data race has two sides only");
    if (side.thread >= trace->threads.count)
        return reader_fail(r, "there is no thread %" PRIu32, side.thread);
    if (side.step > trace->steps.count)
        return reader_fail(r, "there is no step %" PRIu32, side.step);
    if (side.stack > trace->frames.count)
        return reader_fail(r, "there is no frame %" PRIu32, side.stack);
    if (!side.what)
        return reader_missing(r, "what it does");
    vec_push(&trace->arena, &trace->sides, side);
    return true;
}

static bool read_output(struct reader *r)
{
    size_t length;
    char *bytes = reader_want_bytes(r, &length);

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
    {"program", false, true, read_program},
    {"argument", true, false, read_argument},
    {"build", false, true, read_build},
    {"model", false, true, read_model},
    {"option", true, false, read_option},
    {"bug", false, true, read_bug},
    {"message", false, true, read_message},
    {"detail", true, false, read_detail},
    {"thread", true, true, read_thread},
    {"file", true, false, read_file},
    {"source", true, false, read_source},
    {"frame", true, false, read_frame},
    {"variable", true, false, read_variable},
    {"step", true, false, read_step},
    {"value", true, false, read_value},
    {"wait", true, false, read_wait},
    {"side", true, false, read_side},
    {"output", true, false, read_output},
    {"end", false, true, NULL},
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

    while (next < sizeof line_kinds / sizeof *line_kinds &&
           !reader_skip_word(r, line_kinds[next].word))
        next++;
    if (next == sizeof line_kinds / sizeof *line_kinds)
        return reader_fail(r, "this line is unknown or in the wrong place: '%s'",
                           reader_rest(r, found, sizeof found));
    if (next == *kind && seen && !line_kinds[next].many)
        return reader_fail(r, "a second line '%s'", line_kinds[next].word);
    for (size_t i = *kind + seen; i < next; i++)
        if (line_kinds[i].required)
            return reader_fail(r, "the line '%s' is missing before this one", line_kinds[i].word);
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
            return reader_fail(r, "the line goes on with '%s'",
                               reader_rest(r, found, sizeof found));
    }
    if (r->end + 1 != r->stop)
        return reader_fail(r, "the line 'end' is not the last one");
    if (r->damaged)
        return reader_fail(r, "its checksum does not match");
    r->line = r->bug_line;
    if (r->trace->bug.thread >= r->trace->threads.count)
        return reader_fail(r, "there is no thread %" PRIu32, r->trace->bug.thread);
    if (r->trace->bug.stack > r->trace->frames.count)
        return reader_fail(r, "there is no frame %" PRIu32, r->trace->bug.stack);
    return true;
}

/* The first line; leaves it between at and end. */
static bool version_read(struct reader *r)
{
    uint64_t version = 0;

    if (!reader_skip(r, FIRST_WORDS))
        return reader_fail(r, "not a raddle trace: the first line is not '" FIRST_WORDS "%u'",
                           TRACE_VERSION);
    if (!reader_want_digits(r, "", 10, UINT32_MAX, &version))
        return false;
    if (version > TRACE_VERSION)
        return reader_fail(r,
                           "version %" PRIu64
                           " of the format, but this raddle reads version %u: take a "
                           "newer raddle",
                           version, TRACE_VERSION);
    if (version == 0 || r->at != r->end)
        return reader_fail(r, "not a version of the format");
    if (version != TRACE_VERSION)
        return reader_fail(r,
                           "version %" PRIu64
                           " of the format, but this raddle reads version %u: let "
                           "raddle check find the bug again",
                           version, TRACE_VERSION);
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
        whole = reader_digit(last[i]) < 16;
        wanted = wanted << 4 | (uint64_t)(reader_digit(last[i]) & 15);
    }
    if (whole) {
        r->damaged = wanted != XXH3_64bits(text, length - END_LENGTH);
        return true;
    }
    for (size_t i = 0; i + 1 < length; i++)
        r->line += text[i] == '\n';
    return reader_fail(
        r, "the file is cut short: it does not end with the line 'end' and its checksum");
}

static bool text_check(struct reader *r, const char *text, size_t length)
{
    const char *newline = length ? memchr(text, '\n', length) : NULL;

    r->at = text;
    r->stop = text + length;
    r->end = newline ? newline : r->stop;
    if (length == 0)
        return reader_fail(r, "the file is empty");
    if (length > BYTES_MAX)
        return reader_fail(r, "the file is larger than 256 MiB");
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
