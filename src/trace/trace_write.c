#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "base/check.h"
#include "model/order.h"
#include "trace/trace.h"
#include "trace/utf8.h"

/* The file is written through a buffer, because its last line is the checksum of all before. */
struct writer {
    XXH3_state_t hash;
    FILE *out;
    size_t used;
    char buffer[4096];
};

static void writer_flush(struct writer *w)
{
    XXH3_64bits_update(&w->hash, w->buffer, w->used);
    fwrite(w->buffer, 1, w->used, w->out);
    w->used = 0;
}

static void put_bytes(struct writer *w, const char *bytes, size_t length)
{
    while (length) {
        size_t part = sizeof w->buffer - w->used;

        if (part > length)
            part = length;
        memcpy(w->buffer + w->used, bytes, part);
        w->used += part;
        bytes += part;
        length -= part;
        if (w->used == sizeof w->buffer)
            writer_flush(w);
    }
}

static void put(struct writer *w, const char *text)
{
    put_bytes(w, text, strlen(text));
}

/* " word number". */
static void put_number(struct writer *w, const char *word, uint64_t number)
{
    char text[32];

    put(w, word);
    snprintf(text, sizeof text, " %" PRIu64, number);
    put(w, text);
}

/* " word 0xaddress"; nothing for 0. */
static void put_address(struct writer *w, const char *word, uint64_t address)
{
    char text[32];

    if (!address)
        return;
    put(w, word);
    snprintf(text, sizeof text, " 0x%" PRIx64, address);
    put(w, text);
}

static void put_escape(struct writer *w, unsigned char byte)
{
    char text[8];

    if (byte == '\n')
        put(w, "\\n");
    else if (byte == '\t')
        put(w, "\\t");
    else {
        snprintf(text, sizeof text, "\\x%02x", byte);
        put(w, text);
    }
}

/* In quotes. Whatever could not be seen in an editor, or is no UTF-8, is escaped byte by byte. */
static void put_string(struct writer *w, const char *bytes, size_t length)
{
    const char *end = bytes + length;

    put(w, "\"");
    while (bytes < end) {
        uint32_t character;
        size_t size = utf8_decode(bytes, end, &character);

        if (size == 1 && (*bytes == '"' || *bytes == '\\')) {
            put(w, "\\");
            put_bytes(w, bytes, 1);
        } else if (size && utf8_is_shown(character)) {
            put_bytes(w, bytes, size);
        } else {
            size = size ? size : 1;
            for (size_t i = 0; i < size; i++)
                put_escape(w, (unsigned char)bytes[i]);
        }
        bytes += size;
    }
    put(w, "\"");
}

/* `word "text"`, nothing if there is no text. */
static void put_text(struct writer *w, const char *word, const char *text)
{
    if (!text)
        return;
    put(w, word);
    put(w, " ");
    put_string(w, text, strlen(text));
}

static void put_line(struct writer *w, const char *word, const char *text)
{
    put_text(w, word, text);
    put(w, "\n");
}

static void put_site(struct writer *w, const struct trace_site *site)
{
    char text[32];

    if (site->file) {
        put_text(w, " at", site->file);
        snprintf(text, sizeof text, ":%" PRIu32 ":%" PRIu32, site->line, site->column);
        put(w, text);
    }
    put_text(w, " in", site->function);
}

static void put_thread(struct writer *w, const struct trace_thread *thread)
{
    put_number(w, "thread parent", thread->parent);
    put_number(w, " rank", thread->rank);
    put_text(w, " name", thread->name);
    put_site(w, &thread->created);
    put(w, "\n");
}

/* The name and not the text: two operations may have the same text. */
static void put_op(struct writer *w, uint8_t op)
{
    put(w, " ");
    for (const char *c = op_infos[op].name; *c; c++) {
        char lower = (char)tolower((unsigned char)*c);

        put_bytes(w, &lower, 1);
    }
}

static void put_step(struct writer *w, const struct trace_step *step)
{
    char text[32];

    put_number(w, "step", step->thread);
    put_op(w, step->op);
    if (step->is_buffer) {
        snprintf(text, sizeof text, " buffer 0x%" PRIx64, step->addr);
        put(w, text);
    }
    put(w, step->order ? " order " : "");
    put(w, step->order ? memory_order_words[step->order - 1] : "");
    put(w, step->plain ? " plain" : "");
    put(w, step->buffered ? " buffered" : "");
    put(w, step->failed ? " failed" : "");
    put(w, step->reads ? " reads" : "");
    put(w, step->writes ? " writes" : "");
    if (step->size)
        put_number(w, " size", step->size);
    if (step->value)
        put_number(w, " value", step->value);
    put_address(w, " cell", step->cell);
    if (step->issued)
        put_number(w, " issued", step->issued);
    if (step->outcome == OUTCOME_LOST)
        put(w, " outcome lost");
    else if (step->outcome)
        put_number(w, " outcome", step->outcome);
    put_text(w, " object", step->object);
    put_text(w, " text", step->text);
    put_site(w, &step->site);
    if (step->stack)
        put_number(w, " stack", step->stack);
    put(w, "\n");
}

static void put_run(struct writer *w, const struct trace *trace)
{
    char text[32];

    put_line(w, "program", trace->program);
    for (uint32_t i = 0; i < trace->arguments.count; i++)
        put_line(w, "argument", trace->arguments.at[i]);
    snprintf(text, sizeof text, "build %016" PRIx64 "\n", trace->build);
    put(w, text);
    put_text(w, "model", trace->model);
    if (trace->buffer_bound != TRACE_UNBOUNDED)
        put_number(w, " buffer-bound", trace->buffer_bound);
    put(w, "\n");
    for (uint32_t i = 0; i < trace->options.count; i++) {
        put_text(w, "option", trace->options.at[i].name);
        put_line(w, "", trace->options.at[i].value);
    }
}

static void put_bug(struct writer *w, const struct trace_bug *bug)
{
    put_text(w, "bug", bug->kind);
    put_number(w, " thread", bug->thread);
    put_site(w, &bug->site);
    if (bug->stack)
        put_number(w, " stack", bug->stack);
    put(w, "\n");
    put_line(w, "message", bug->message);
    for (uint32_t i = 0; i < bug->details.count; i++)
        put_line(w, "detail", bug->details.at[i]);
}

static void put_source(struct writer *w, const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->files.count; i++)
        put_line(w, "file", trace->files.at[i]);
    for (uint32_t i = 0; i < trace->lines.count; i++) {
        const struct trace_line *line = &trace->lines.at[i];

        put_number(w, "source", line->file);
        put_number(w, "", line->number);
        put_line(w, "", line->text);
    }
}

static void put_frames(struct writer *w, const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->frames.count; i++) {
        put(w, "frame");
        if (trace->frames.at[i].up)
            put_number(w, " up", trace->frames.at[i].up);
        put_site(w, &trace->frames.at[i].site);
        put(w, "\n");
    }
}

static void put_variables(struct writer *w, const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->variables.count; i++) {
        const struct trace_variable *variable = &trace->variables.at[i];

        put_text(w, "variable", variable->name);
        put_text(w, " kind", variable->kind);
        put_address(w, " cell", variable->cell);
        put(w, "\n");
    }
}

static void put_values(struct writer *w, const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->values.count; i++) {
        const struct trace_value *value = &trace->values.at[i];

        put_number(w, "value", value->step);
        put_number(w, "", value->variable);
        put_line(w, "", value->text);
    }
}

static void put_waits(struct writer *w, const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->waits.count; i++) {
        const struct trace_wait *wait = &trace->waits.at[i];

        put_number(w, "wait", wait->thread);
        if (wait->on)
            put_number(w, " on", wait->on - 1);
        put_text(w, " text", wait->text);
        put_site(w, &wait->site);
        if (wait->stack)
            put_number(w, " stack", wait->stack);
        put(w, "\n");
    }
}

static void put_sides(struct writer *w, const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->sides.count; i++) {
        const struct trace_side *side = &trace->sides.at[i];

        put_number(w, "side", side->thread);
        if (side->step)
            put_number(w, " step", side->step);
        put_text(w, " what", side->what);
        for (uint32_t k = 0; k < side->locks.count; k++)
            put_text(w, " lock", side->locks.at[k]);
        put_site(w, &side->site);
        if (side->stack)
            put_number(w, " stack", side->stack);
        put(w, "\n");
    }
}

/* A line for each line that the program wrote, so that two files can be compared. */
static void put_output(struct writer *w, const char *at, size_t length)
{
    const char *end = at + length;

    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;

        put(w, "output ");
        put_string(w, at, (size_t)(next - at));
        put(w, "\n");
        at = next;
    }
}

bool trace_write(const struct trace *trace, FILE *out)
{
    struct writer w = {.out = out};

    CHECK(trace->program && trace->model && trace->bug.kind && trace->bug.message &&
              trace->bug.thread < trace->threads.count,
          "a trace is written before it is complete");
    XXH3_64bits_reset(&w.hash);
    put_number(&w, "raddle trace", TRACE_VERSION);
    put(&w, "\n");
    put_run(&w, trace);
    put_bug(&w, &trace->bug);
    for (uint32_t i = 0; i < trace->threads.count; i++)
        put_thread(&w, &trace->threads.at[i]);
    put_source(&w, trace);
    put_frames(&w, trace);
    put_variables(&w, trace);
    for (uint32_t i = 0; i < trace->steps.count; i++)
        put_step(&w, &trace->steps.at[i]);
    put_values(&w, trace);
    put_waits(&w, trace);
    put_sides(&w, trace);
    if (trace->output.count)
        put_output(&w, trace->output.at, trace->output.count);
    writer_flush(&w);
    fprintf(out, "end %016" PRIx64 "\n", (uint64_t)XXH3_64bits_digest(&w.hash));
    return !ferror(out);
}
