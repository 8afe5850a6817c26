#include "trace/report_json.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/order.h"
#include "trace/about.h"
#include "trace/conflicts.h"
#include "trace/matter.h"
#include "trace/notes.h"
#include "trace/report.h"
#include "trace/utf8.h"
#include "trace/words.h"

#define ARENA_RESERVE ((size_t)1 << 36)

json_t *json_text_bytes(const char *bytes, size_t length)
{
    char *clean = utf8_repair(bytes, &length, true);
    json_t *json = clean ? json_stringn_nocheck(clean, length) : NULL;

    free(clean);
    return json;
}

json_t *json_text(const char *text)
{
    return text ? json_text_bytes(text, strlen(text)) : json_null();
}

/* ---- pieces */

static json_t *json_site(const struct trace_site *site)
{
    if (!site->file && !site->function)
        return json_null();
    return json_pack("{s:o, s:I, s:I, s:o}", "file", json_text(site->file), "line",
                     (json_int_t)site->line, "column", (json_int_t)site->column, "function",
                     json_text(site->function));
}

/* An index, where the trace has 0 for none and 1 + the index else. */
static json_t *json_index(uint32_t index)
{
    return index ? json_integer(index - 1) : json_null();
}

static json_t *json_address(uint64_t address)
{
    char text[32];

    if (!address)
        return json_null();
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    return json_string(text);
}

static json_t *json_run(const struct trace *trace)
{
    json_t *arguments = json_array(), *options = json_object();
    char build[32];

    for (uint32_t i = 0; i < trace->arguments.count; i++)
        json_array_append_new(arguments, json_text(trace->arguments.at[i]));
    for (uint32_t i = 0; i < trace->options.count; i++) {
        size_t length = strlen(trace->options.at[i].name);
        char *name = utf8_repair(trace->options.at[i].name, &length, true);

        if (name)
            json_object_set_new_nocheck(options, name, json_text(trace->options.at[i].value));
        free(name);
    }
    snprintf(build, sizeof build, "%016" PRIx64, trace->build);
    return json_pack(
        "{s:s, s:i, s:o, s:o, s:s, s:o, s:o, s:o}", "format", "raddle-trace", "version",
        (int)TRACE_VERSION, "program", json_text(trace->program), "arguments", arguments, "build",
        build, "model", json_text(trace->model), "buffer_bound",
        trace->buffer_bound == TRACE_UNBOUNDED ? json_null() : json_integer(trace->buffer_bound),
        "options", options);
}

static json_t *json_bug(const struct trace *trace)
{
    const struct trace_bug *bug = &trace->bug;
    json_t *details = json_array();

    for (uint32_t i = 0; i < bug->details.count; i++)
        json_array_append_new(details, json_text(bug->details.at[i]));
    return json_pack("{s:o, s:o, s:I, s:o, s:o, s:o}", "kind", json_text(bug->kind), "message",
                     json_text(bug->message), "thread", (json_int_t)bug->thread, "site",
                     json_site(&bug->site), "stack", json_index(bug->stack), "details", details);
}

static json_t *json_threads(const struct trace *trace)
{
    json_t *threads = json_array();

    for (uint32_t i = 0; i < trace->threads.count; i++) {
        const struct trace_thread *thread = &trace->threads.at[i];

        json_array_append_new(
            threads,
            json_pack("{s:I, s:o, s:I, s:I, s:o}", "number", (json_int_t)i, "name",
                      json_text(words_thread_name(trace, i)), "parent", (json_int_t)thread->parent,
                      "rank", (json_int_t)thread->rank, "created", json_site(&thread->created)));
    }
    return threads;
}

/* The value as C programs mean it: signed. As text, since numbers in JSON may lose their last digits. */
static json_t *json_value(const struct trace_step *step)
{
    unsigned unused = 64 - 8 * (step->size && step->size < 8 ? step->size : 8u);
    char text[32];

    if (!step->size && !step->value)
        return json_null();
    snprintf(text, sizeof text, "%" PRId64, (int64_t)(step->value << unused) >> unused);
    return json_string(text);
}

static json_t *json_op(uint8_t op)
{
    char name[40];
    size_t i;

    for (i = 0; op_infos[op].name[i] && i + 1 < sizeof name; i++)
        name[i] = (char)tolower((unsigned char)op_infos[op].name[i]);
    name[i] = '\0';
    return json_string(name);
}

/* `store`: the number of the store that it flushes, or 0. */
static json_t *json_step(const struct trace *trace, uint32_t index, uint32_t store, bool matters)
{
    const struct trace_step *step = &trace->steps.at[index];
    char text[WORDS_MAX];
    json_t *order = step->order ? json_string(memory_order_words[step->order - 1]) : json_null();
    json_t *outcome = step->outcome == OUTCOME_LOST ? json_string("lost")
                      : step->outcome               ? json_integer(step->outcome)
                                                    : json_null();

    words_step(trace, index, store, text, sizeof text);
    return json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:b, s:b, s:b, s:o, s:b, s:I, "
        "s:o, s:o, s:o, s:o, s:o}",
        "number", (json_int_t)index + 1, "thread", (json_int_t)step->thread, "op",
        json_op(step->op), "order", order, "text", json_text(text), "object",
        json_text(step->object), "reads", step->reads, "writes", step->writes, "plain",
        step->plain && !step->buffered, "buffered", step->buffered, "failed", step->failed, "flush",
        step->is_buffer, "store", store ? json_integer(store) : json_null(), "matters", matters,
        "size", (json_int_t)step->size, "value", json_value(step), "outcome", outcome, "cell",
        json_address(step->cell), "site", json_site(&step->site), "stack", json_index(step->stack));
}

static json_t *json_steps(const struct trace *trace, struct arena *arena)
{
    uint32_t *link = words_link_flushes(trace, arena);
    struct matter matter = matter_find(trace, arena);
    json_t *steps = json_array();

    for (uint32_t i = 0; i < trace->steps.count; i++)
        json_array_append_new(steps, json_step(trace, i, link[i], matter.shown[i]));
    return steps;
}

static json_t *json_frames(const struct trace *trace)
{
    json_t *frames = json_array();

    for (uint32_t i = 0; i < trace->frames.count; i++)
        json_array_append_new(frames,
                              json_pack("{s:o, s:o}", "up", json_index(trace->frames.at[i].up),
                                        "site", json_site(&trace->frames.at[i].site)));
    return frames;
}

static json_t *json_variables(const struct trace *trace)
{
    json_t *variables = json_array();

    for (uint32_t i = 0; i < trace->variables.count; i++) {
        const struct trace_variable *variable = &trace->variables.at[i];

        json_array_append_new(
            variables, json_pack("{s:o, s:o, s:o}", "name", json_text(variable->name), "kind",
                                 json_text(variable->kind), "cell", json_address(variable->cell)));
    }
    return variables;
}

static json_t *json_values(const struct trace *trace)
{
    json_t *values = json_array();

    for (uint32_t i = 0; i < trace->values.count; i++) {
        const struct trace_value *value = &trace->values.at[i];

        json_array_append_new(values, json_pack("{s:I, s:I, s:o}", "step", (json_int_t)value->step,
                                                "variable", (json_int_t)value->variable, "value",
                                                json_text(value->text)));
    }
    return values;
}

static json_t *json_waits(const struct trace *trace)
{
    json_t *waits = json_array();

    for (uint32_t i = 0; i < trace->waits.count; i++) {
        const struct trace_wait *wait = &trace->waits.at[i];

        json_array_append_new(
            waits, json_pack("{s:I, s:o, s:o, s:o, s:o}", "thread", (json_int_t)wait->thread, "on",
                             json_index(wait->on), "text", json_text(wait->text), "site",
                             json_site(&wait->site), "stack", json_index(wait->stack)));
    }
    return waits;
}

/* null if no threads wait for each other in a circle. */
static json_t *json_circle(const struct trace *trace)
{
    char text[WORDS_MAX];

    return about_circle(trace, text, sizeof text) ? json_text(text) : json_null();
}

static json_t *json_sides(const struct trace *trace)
{
    json_t *sides = json_array();

    for (uint32_t i = 0; i < trace->sides.count; i++) {
        const struct trace_side *side = &trace->sides.at[i];
        json_t *locks = json_array();

        for (uint32_t k = 0; k < side->locks.count; k++)
            json_array_append_new(locks, json_text(side->locks.at[k]));
        json_array_append_new(
            sides, json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "thread", (json_int_t)side->thread,
                             "step", side->step ? json_integer(side->step) : json_null(), "what",
                             json_text(side->what), "locks", locks, "site", json_site(&side->site),
                             "stack", json_index(side->stack)));
    }
    return sides;
}

static json_t *json_notes(const struct trace *trace, struct arena *arena)
{
    json_t *json = json_array();
    note_vec notes = {0};

    notes_find(trace, arena, &notes);
    for (uint32_t i = 0; i < notes.count; i++)
        json_array_append_new(json,
                              json_pack("{s:I, s:o}", "step", (json_int_t)notes.at[i].step + 1,
                                        "text", json_text(notes.at[i].text)));
    return json;
}

static json_t *json_conflicts(const struct trace *trace, struct arena *arena)
{
    json_t *json = json_array();
    conflict_vec conflicts = {0};

    conflicts_find(trace, arena, &conflicts);
    for (uint32_t i = 0; i < conflicts.count; i++)
        json_array_append_new(json, json_pack("{s:I, s:I}", "first",
                                              (json_int_t)conflicts.at[i].first + 1, "second",
                                              (json_int_t)conflicts.at[i].second + 1));
    return json;
}

static json_t *json_source(const struct trace *trace)
{
    json_t *files = json_array();
    uint32_t line = 0;

    for (uint32_t i = 0; i < trace->files.count; i++) {
        json_t *lines = json_array();

        for (; line < trace->lines.count && trace->lines.at[line].file == i; line++)
            json_array_append_new(lines, json_pack("{s:I, s:o}", "number",
                                                   (json_int_t)trace->lines.at[line].number, "text",
                                                   json_text(trace->lines.at[line].text)));
        json_array_append_new(
            files, json_pack("{s:o, s:o}", "file", json_text(trace->files.at[i]), "lines", lines));
    }
    return files;
}

json_t *json_trace(const struct trace *trace)
{
    struct arena arena;
    json_t *json;

    if (arena_open(&arena, ARENA_RESERVE) != 0)
        return NULL;
    json = json_run(trace);
    json_object_set_new(json, "bug", json_bug(trace));
    json_object_set_new(json, "threads", json_threads(trace));
    json_object_set_new(json, "steps", json_steps(trace, &arena));
    json_object_set_new(json, "frames", json_frames(trace));
    json_object_set_new(json, "variables", json_variables(trace));
    json_object_set_new(json, "values", json_values(trace));
    json_object_set_new(json, "waits", json_waits(trace));
    json_object_set_new(json, "circle", json_circle(trace));
    json_object_set_new(json, "sides", json_sides(trace));
    json_object_set_new(json, "notes", json_notes(trace, &arena));
    json_object_set_new(json, "conflicts", json_conflicts(trace, &arena));
    json_object_set_new(json, "source", json_source(trace));
    json_object_set_new(
        json, "output",
        json_text_bytes(trace->output.at ? trace->output.at : "", trace->output.count));
    arena_close(&arena);
    return json;
}

/* ---- results */

static json_t *json_bugs(const result_bug_vec *bugs)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < bugs->count; i++) {
        const struct result_bug *bug = &bugs->at[i];

        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:I, s:I, s:o}", "kind", bug->kind,
                                              "message", json_text(bug->message), "file",
                                              json_text(bug->file), "line", (json_int_t)bug->line,
                                              "thread", (json_int_t)bug->thread, "trace",
                                              json_text(bug->trace)));
    }
    return list;
}

static json_t *json_unseen(const struct result *result)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < result->unseen.count; i++) {
        const struct result_unseen *unseen = &result->unseen.at[i];

        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:I, s:o}", "function", json_text(unseen->function),
                            "library", json_text(unseen->library), "file", json_text(unseen->file),
                            "line", (json_int_t)unseen->line, "effect", json_text(unseen->effect)));
    }
    return list;
}

/* null if the search did not sample. */
static json_t *json_sampled(const struct result_sampled *sampled)
{
    if (sampled->runs == 0)
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:I, s:I, s:f}", "runs",
                     (json_int_t)sampled->runs, "seed", (json_int_t)sampled->seed, "depth",
                     (json_int_t)sampled->depth, "given_up", (json_int_t)sampled->given_up,
                     "traces", (json_int_t)sampled->traces, "traces_once",
                     (json_int_t)sampled->traces_once, "traces_least", sampled->traces_least,
                     "unseen", sampled->unseen, "agents", (json_int_t)sampled->agents, "steps",
                     (json_int_t)sampled->steps, "promise", sampled->promise);
}

/* null if nobody knows, or all was explored. */
static json_t *json_estimate(const struct result_estimate *estimate)
{
    if (estimate->executions == 0)
        return json_null();
    return json_pack("{s:f, s:f, s:f}", "total", estimate->executions, "factor", estimate->factor,
                     "seconds_left", estimate->seconds_left);
}

/* The names are a contract. */
static json_t *json_result(const struct result *result)
{
    json_t *reasons = json_array();

    for (uint32_t i = 0; i < result->reasons.count; i++)
        json_array_append_new(reasons, json_text(result->reasons.at[i]));
    return json_pack(
        "{s:s, s:o, s:s, s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:I, s:I, s:I},"
        " s:{s:o, s:I, s:I, s:I, s:o}, s:I, s:f, s:o, s:o, s:I, s:I, s:o, s:o, s:o}",
        "verdict", result->verdict, "reasons", reasons, "model", result->model, "search",
        json_text(result->search), "sampled", json_sampled(&result->sampled), "reduction",
        result->reduction, "executions", (json_int_t)result->executions, "blocked",
        (json_int_t)result->blocked, "transitions", (json_int_t)result->transitions, "states",
        (json_int_t)result->states, "revisited", (json_int_t)result->revisited, "state_bytes",
        (json_int_t)result->state_bytes, "untold", (json_int_t)result->untold, "symmetric",
        "checks", (json_int_t)result->symmetric.checks, "found",
        (json_int_t)result->symmetric.found, "saved", (json_int_t)result->symmetric.saved,
        "snapshots", "way", json_text(result->snapshots.way), "made",
        (json_int_t)result->snapshots.made, "used", (json_int_t)result->snapshots.used, "lost",
        (json_int_t)result->snapshots.lost, "refused", json_text(result->snapshots.refused),
        "threads", (json_int_t)result->threads, "seconds", result->seconds, "estimate",
        json_estimate(&result->estimate), "checkpoint", json_text(result->checkpoint),
        "peak_rss_bytes", (json_int_t)result->peak_rss_bytes, "suppressed",
        (json_int_t)result->suppressed, "unseen", json_unseen(result), "warnings",
        json_bugs(&result->warnings), "bugs", json_bugs(&result->bugs));
}

static bool json_write(json_t *json, FILE *out)
{
    bool ok = json && json_dumpf(json, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;

    if (!json)
        errno = ENOMEM;
    json_decref(json);
    return ok;
}

static bool write_trace(const struct trace *trace, const struct report_options *options, FILE *out)
{
    (void)options;
    return json_write(json_trace(trace), out);
}

static bool write_result(const struct result *result, const struct report_options *options,
                         FILE *out)
{
    (void)options;
    return json_write(json_result(result), out);
}

const struct report_ops report_json = {"json", write_trace, write_result};
