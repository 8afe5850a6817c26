#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/text.h"
#include "trace/about.h"
#include "trace/conflicts.h"
#include "trace/notes.h"
#include "trace/report.h"
#include "trace/report_json.h"
#include "trace/sarif_rules.h"
#include "trace/words.h"

/* SARIF 2.1.0: a rule for each kind of bug, a result for each bug, with the run that shows it as a code flow that has a
 * thread flow for each thread. */

#define SCHEMA         "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
#define ARENA_RESERVE  ((size_t)1 << 36)
#define CONFLICTS_LOOK 1000 /* how far to look for the same pair of places */
#define RELATED_MAX    16
#define FRAMES_MAX     64
#define ROOT_ID        "SRCROOT" /* the directory that --source-root names */
#define NOTES_SAID     3
#define MESSAGE_MAX    4096
#define STEPS_MAX      10000 /* of one run; those who read such files take no more */

/* What is written, and how: the run may be NULL. */
struct sarif {
    const struct report_options *options;
    const struct trace *trace;
};

/* ---- pieces */

static json_t *sarif_message(const char *text)
{
    return json_pack("{s:o}", "text", json_text(text));
}

/* The name of a file as a URI: relative if it is, percent-encoded. */
static json_t *sarif_uri(const char *file)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    size_t length = strlen(file);
    char *uri = malloc(3 * length + 8), *to = uri;
    json_t *json;

    if (!uri)
        return NULL;
    if (file[0] == '/')
        to += sprintf(to, "file://");
    for (; *file; file++)
        if (strchr(plain, *file))
            *to++ = *file;
        else
            to += sprintf(to, "%%%02X", (unsigned)(unsigned char)*file);
    *to = '\0';
    json = json_string(uri);
    free(uri);
    return json;
}

/* The file as seen from the root of the sources, or NULL: there is none, or the file is elsewhere. `path` has PATH_MAX bytes. */
static const char *below_root(const struct report_options *options, const char *file, char *path)
{
    size_t length = options->source_root ? strlen(options->source_root) : 0;

    if (!length || !realpath(file, path) || strncmp(path, options->source_root, length) != 0 ||
        path[length] != '/')
        return NULL;
    return path + length + 1;
}

static json_t *sarif_artifact(const struct sarif *s, const char *file)
{
    char path[PATH_MAX];
    const char *below = below_root(s->options, file, path);

    if (!below)
        return json_pack("{s:o}", "uri", sarif_uri(file));
    return json_pack("{s:o, s:s}", "uri", sarif_uri(below), "uriBaseId", ROOT_ID);
}

static json_t *sarif_physical(const struct sarif *s, const struct trace_site *site)
{
    json_t *place = json_pack("{s:o}", "artifactLocation", sarif_artifact(s, site->file));
    const char *line = s->trace && site->line ? trace_line(s->trace, site->file, site->line) : NULL;
    json_t *region;

    if (!site->line)
        return place;
    region = json_pack("{s:I}", "startLine", (json_int_t)site->line);
    if (site->column)
        json_object_set_new(region, "startColumn", json_integer(site->column));
    if (line)
        json_object_set_new(region, "snippet", sarif_message(line));
    json_object_set_new(place, "region", region);
    return place;
}

/* `text` may be NULL. */
static json_t *sarif_location(const struct sarif *s, const struct trace_site *site,
                              const char *text)
{
    json_t *location = json_object();

    if (site->file)
        json_object_set_new(location, "physicalLocation", sarif_physical(s, site));
    if (site->function)
        json_object_set_new(
            location, "logicalLocations",
            json_pack("[{s:o, s:s}]", "name", json_text(site->function), "kind", "function"));
    if (text)
        json_object_set_new(location, "message", sarif_message(text));
    return location;
}

/* The place itself and its callers; NULL if no caller is known. */
static json_t *sarif_stack(const struct sarif *s, const struct trace_site *site, uint32_t stack)
{
    json_t *frames;

    if (!stack)
        return NULL;
    frames = json_pack("[{s:o}]", "location", sarif_location(s, site, NULL));
    for (int i = 0; stack && i < FRAMES_MAX; i++) {
        const struct trace_frame *frame = &s->trace->frames.at[stack - 1];

        json_array_append_new(
            frames, json_pack("{s:o}", "location", sarif_location(s, &frame->site, NULL)));
        stack = frame->up;
    }
    return json_pack("{s:o}", "frames", frames);
}

/* ---- the run */

/* What the variables hold after a step, those that it changed. */
static json_t *sarif_state(const struct sarif *s, uint32_t step, uint32_t *value)
{
    json_t *state = json_object();

    while (*value < s->trace->values.count && s->trace->values.at[*value].step <= step) {
        const struct trace_value *v = &s->trace->values.at[(*value)++];
        json_t *name = json_text(s->trace->variables.at[v->variable].name);

        if (v->step == step && name)
            json_object_set_new(state, json_string_value(name), sarif_message(v->text));
        json_decref(name);
    }
    return state;
}

static json_t *sarif_step(const struct sarif *s, uint32_t index, uint32_t store, uint32_t *value)
{
    const struct trace_step *step = &s->trace->steps.at[index];
    json_t *location, *stack = sarif_stack(s, &step->site, step->stack);
    char text[WORDS_MAX];

    words_step(s->trace, index, store, text, sizeof text);
    location =
        json_pack("{s:I, s:o, s:o}", "executionOrder", (json_int_t)index + 1, "location",
                  sarif_location(s, &step->site, text), "state", sarif_state(s, index + 1, value));
    if (stack)
        json_object_set_new(location, "stack", stack);
    return location;
}

/* Where a thread that cannot go on stands. */
static void sarif_waits(const struct sarif *s, json_t *const *threads)
{
    char text[WORDS_MAX];

    for (uint32_t i = 0; i < s->trace->waits.count; i++) {
        const struct trace_wait *wait = &s->trace->waits.at[i];

        snprintf(text, sizeof text, "waits for %s", wait->text);
        json_array_append_new(
            threads[wait->thread],
            json_pack("{s:I, s:s, s:o}", "executionOrder", (json_int_t)s->trace->steps.count + 1,
                      "importance", "essential", "location", sarif_location(s, &wait->site, text)));
    }
}

/* A thread flow for each thread that does something; the schema wants one location at least. */
static json_t *sarif_flows(const struct sarif *s, struct arena *arena)
{
    json_t **threads = arena_alloc(arena, s->trace->threads.count * sizeof *threads);
    uint32_t *link = words_link_flushes(s->trace, arena), value = 0;
    json_t *flows = json_array();
    char name[WORDS_MAX], id[16];

    for (uint32_t i = 0; i < s->trace->threads.count; i++)
        threads[i] = json_array();
    for (uint32_t i = 0; i < s->trace->steps.count && i < STEPS_MAX; i++)
        json_array_append_new(threads[s->trace->steps.at[i].thread],
                              sarif_step(s, i, link[i], &value));
    sarif_waits(s, threads);
    for (uint32_t i = 0; i < s->trace->threads.count; i++) {
        if (json_array_size(threads[i]) == 0) {
            json_decref(threads[i]);
            continue;
        }
        snprintf(id, sizeof id, "T%" PRIu32, i);
        words_thread(s->trace, i, name, sizeof name);
        json_array_append_new(flows, json_pack("{s:s, s:o, s:o}", "id", id, "message",
                                               sarif_message(name), "locations", threads[i]));
    }
    return flows;
}

/* ---- places that have to do with it */

static bool related_add(json_t *related, const struct sarif *s, const struct trace_site *site,
                        const char *text)
{
    json_t *location;

    if (!site->file || json_array_size(related) == RELATED_MAX)
        return false;
    location = sarif_location(s, site, text);
    json_object_set_new(location, "id", json_integer((json_int_t)json_array_size(related) + 1));
    return json_array_append_new(related, location) == 0;
}

static bool same_place(const struct trace_step *a, const struct trace_step *b)
{
    return a->thread == b->thread && a->site.line == b->site.line && a->op == b->op &&
           a->cell == b->cell;
}

/* The accesses that conflict, the last ones first: nearest to the bug. Those of a loop count once. */
static void related_conflicts(json_t *related, const struct sarif *s, struct arena *arena)
{
    conflict_vec conflicts = {0};
    char step[WORDS_MAX], text[WORDS_MAX + 64];

    conflicts_find(s->trace, arena, &conflicts);
    for (uint32_t i = conflicts.count; i-- > 0;) {
        const struct trace_step *first = &s->trace->steps.at[conflicts.at[i].first];
        const struct trace_step *second = &s->trace->steps.at[conflicts.at[i].second];
        uint32_t newer = i + 1;

        while (newer < conflicts.count && newer - i < CONFLICTS_LOOK &&
               !(same_place(first, &s->trace->steps.at[conflicts.at[newer].first]) &&
                 same_place(second, &s->trace->steps.at[conflicts.at[newer].second])))
            newer++;
        if (newer < conflicts.count && newer - i < CONFLICTS_LOOK)
            continue;
        words_step(s->trace, conflicts.at[i].first, 0, step, sizeof step);
        snprintf(text, sizeof text,
                 "T%" PRIu32 ": %s (step %" PRIu32 "), before step %" PRIu32 " of T%" PRIu32,
                 first->thread, step, conflicts.at[i].first + 1, conflicts.at[i].second + 1,
                 second->thread);
        if (!related_add(related, s, &first->site, text) && json_array_size(related) == RELATED_MAX)
            return;
    }
}

static json_t *sarif_related(const struct sarif *s, struct arena *arena)
{
    json_t *related = json_array();
    char text[WORDS_MAX];

    for (uint32_t i = 0; i < s->trace->waits.count; i++) {
        const struct trace_wait *wait = &s->trace->waits.at[i];

        snprintf(text, sizeof text, "T%" PRIu32 " waits for %s", wait->thread, wait->text);
        related_add(related, s, &wait->site, text);
    }
    related_conflicts(related, s, arena);
    return related;
}

/* ---- results */

/* Stays when the file moves within its project, or lines are added before. */
static json_t *sarif_fingerprint(const struct result_bug *bug)
{
    const char *slash = bug->file ? strrchr(bug->file, '/') : NULL;
    const char *function =
        bug->run && bug->run->bug.site.function ? bug->run->bug.site.function : "";
    char text[WORDS_MAX], hash[32];

    snprintf(text, sizeof text, "%s|%s|%s|%.600s", bug->kind,
             slash       ? slash + 1
             : bug->file ? bug->file
                         : "",
             function, bug->message);
    snprintf(hash, sizeof hash, "%016" PRIx64, (uint64_t)XXH3_64bits(text, strlen(text)));
    return json_pack("{s:s}", "raddle/v1", hash);
}

/* ---- what happened, in sentences */

static void say_waits(const struct trace *run, struct text *text)
{
    char words[WORDS_MAX];

    if (about_circle(run, words, sizeof words))
        text_add(text, " There is %s.", words);
    for (uint32_t i = 0; i < run->waits.count; i++)
        text_add(text, " %s waits for %s.",
                 words_thread(run, run->waits.at[i].thread, words, sizeof words),
                 run->waits.at[i].text);
}

/* The last ones: nearest to the bug. */
static void say_notes(const struct trace *run, struct arena *arena, struct text *text)
{
    note_vec notes = {0};

    notes_find(run, arena, &notes);
    for (uint32_t i = notes.count > NOTES_SAID ? notes.count - NOTES_SAID : 0; i < notes.count; i++)
        text_add(text, " %c%s.", toupper((unsigned char)notes.at[i].text[0]),
                 notes.at[i].text + (notes.at[i].text[0] != '\0'));
}

/* "assertion 'x == 1' fails, in T0 (main), in a run of 12 steps with 3 context switches under the model tso. …" */
static json_t *sarif_said(const struct result_bug *bug)
{
    const struct trace *run = bug->run;
    uint32_t switches = run ? words_context_switches(run) : 0;
    char buffer[MESSAGE_MAX], thread[WORDS_MAX];
    struct text text = text_open(buffer, sizeof buffer);
    struct arena arena;

    text_add(&text, "%s", bug->message);
    if (!run || arena_open(&arena, ARENA_RESERVE) != 0)
        return sarif_message(buffer);
    if (!run->waits.count)
        text_add(&text, ", in %s", words_thread(run, run->bug.thread, thread, sizeof thread));
    text_add(&text,
             ", in a run of %" PRIu32 " step%s with %" PRIu32
             " context switch%s under the model %s.",
             run->steps.count, run->steps.count == 1 ? "" : "s", switches,
             switches == 1 ? "" : "es", run->model);
    say_waits(run, &text);
    say_notes(run, &arena, &text);
    if (bug->trace)
        text_add(&text, " `raddle show %s` shows the run.", bug->trace);
    arena_close(&arena);
    return sarif_message(buffer);
}

static void result_add_run(json_t *result, const struct sarif *s)
{
    const struct trace_bug *bug = &s->trace->bug;
    struct arena arena;
    json_t *flows, *stack = sarif_stack(s, &bug->site, bug->stack);

    if (stack)
        json_object_set_new(result, "stacks", json_pack("[o]", stack));
    if (arena_open(&arena, ARENA_RESERVE) != 0)
        return;
    flows = sarif_flows(s, &arena);
    if (json_array_size(flows))
        json_object_set_new(result, "codeFlows", json_pack("[{s:o}]", "threadFlows", flows));
    else
        json_decref(flows);
    json_object_set_new(result, "relatedLocations", sarif_related(s, &arena));
    arena_close(&arena);
}

static json_t *sarif_result(const struct report_options *options, const struct result_bug *bug,
                            const char *level)
{
    struct sarif s = {options, bug->run};
    struct trace_site site = {.file = bug->file, .line = bug->line};
    json_t *result;

    if (bug->run)
        site = bug->run->bug.site;
    result = json_pack("{s:o, s:s, s:o, s:o}", "ruleId", json_text(bug->kind), "level", level,
                       "message", sarif_said(bug), "partialFingerprints", sarif_fingerprint(bug));
    if (sarif_rule_of(bug->kind) >= 0)
        json_object_set_new(result, "ruleIndex", json_integer(sarif_rule_of(bug->kind)));
    if (site.file)
        json_object_set_new(result, "locations", json_pack("[o]", sarif_location(&s, &site, NULL)));
    if (bug->trace)
        json_object_set_new(result, "properties",
                            json_pack("{s:o}", "trace", json_text(bug->trace)));
    if (bug->run)
        result_add_run(result, &s);
    return result;
}

/* What was not seen is a notification: a result would be a bug of the program. */
static json_t *sarif_invocation(const struct result *result)
{
    json_t *notes = json_array();

    for (uint32_t i = 0; i < result->reasons.count; i++)
        json_array_append_new(notes, json_pack("{s:s, s:o}", "level", "warning", "message",
                                               sarif_message(result->reasons.at[i])));
    return json_pack("{s:b, s:o}", "executionSuccessful", 1, "toolExecutionNotifications", notes);
}

static json_t *sarif_tool(const struct report_options *options)
{
    json_t *driver =
        json_pack("{s:s, s:s, s:o}", "name", "raddle", "fullName",
                  "raddle, a model checker for multithreaded C programs", "rules", sarif_rules());

    if (options->version) {
        json_object_set_new(driver, "version", json_string(options->version));
        json_object_set_new(driver, "semanticVersion", json_string(options->version));
    }
    return json_pack("{s:o}", "driver", driver);
}

/* Where the relative names begin: the directory, with a slash behind. */
static json_t *sarif_bases(const char *root)
{
    char path[PATH_MAX + 1];

    snprintf(path, sizeof path, "%s/", root);
    return json_pack("{s:{s:o}}", ROOT_ID, "uri", sarif_uri(path));
}

static json_t *sarif_run(const struct report_options *options, const struct result *result)
{
    json_t *results = json_array(), *run;

    for (uint32_t i = 0; i < result->bugs.count; i++)
        json_array_append_new(results, sarif_result(options, &result->bugs.at[i], "error"));
    for (uint32_t i = 0; i < result->warnings.count; i++)
        json_array_append_new(results, sarif_result(options, &result->warnings.at[i], "warning"));
    run = json_pack("{s:o, s:o, s:{s:o, s:s, s:o}}", "tool", sarif_tool(options), "results",
                    results, "properties", "subject", json_text(result->subject), "verdict",
                    result->verdict, "model", json_text(result->model));
    if (options->source_root)
        json_object_set_new(run, "originalUriBaseIds", sarif_bases(options->source_root));
    if (result->reduction)
        json_object_set_new(run, "invocations", json_pack("[o]", sarif_invocation(result)));
    return run;
}

static bool write_result(const struct result *result, const struct report_options *options,
                         FILE *out)
{
    json_t *log = json_pack("{s:s, s:s, s:[o]}", "$schema", SCHEMA, "version", "2.1.0", "runs",
                            sarif_run(options, result));
    bool ok = log && json_dumpf(log, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;

    if (!log)
        errno = ENOMEM;
    json_decref(log);
    return ok;
}

static bool write_trace(const struct trace *trace, const struct report_options *options, FILE *out)
{
    struct result_bug bug;
    struct result result;

    result_of_trace(trace, &result, &bug);
    return write_result(&result, options, out);
}

const struct report_ops report_sarif = {"sarif", write_trace, write_result};
