#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "trace/conflicts.h"
#include "trace/report.h"
#include "trace/report_json.h"
#include "trace/words.h"

/* SARIF 2.1.0: a rule for each kind of bug, a result for each bug, with the run that shows it as a code flow that has a
 * thread flow for each thread. */

#define SCHEMA         "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
#define ARENA_RESERVE  ((size_t)1 << 36)
#define CONFLICTS_LOOK 1000 /* how far to look for the same pair of places */
#define RELATED_MAX    16
#define FRAMES_MAX     64
#define STEPS_MAX      10000 /* of one run; those who read such files take no more */

/* What each kind of bug is called, in the order in which they are met. */
static const struct rule {
    const char *kind, *name, *text;
} rules[] = {
    {"assertion", "AssertionFails", "An assertion fails in some interleaving of the threads."},
    {"deadlock", "Deadlock", "No thread can go on, and some have not finished."},
    {"data-race", "DataRace",
     "Two threads access the same memory, one of them writes, and nothing orders the two."},
    {"crash", "Crash", "The program dies in some interleaving of the threads."},
    {"misuse", "Misuse", "A call that its standard forbids in that state."},
    {"memory", "MemoryError", "Memory is used that is not the program's to use, or not any more."},
    {"leak", "Leak", "Memory is not given back at the end."},
    {"exit", "ExitStatus",
     "The program ends with a status other than 0 in some interleaving of the threads."},
    {"spin", "EndlessLoop", "Loops wait for what nobody will change."},
    {"nondeterminism", "Nondeterminism", "The program does not do again what it did."},
};

#define RULES (sizeof rules / sizeof *rules)

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

static json_t *sarif_physical(const struct trace *trace, const struct trace_site *site)
{
    json_t *place = json_pack("{s:{s:o}}", "artifactLocation", "uri", sarif_uri(site->file));
    const char *line = trace && site->line ? trace_line(trace, site->file, site->line) : NULL;
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
static json_t *sarif_location(const struct trace *trace, const struct trace_site *site,
                              const char *text)
{
    json_t *location = json_object();

    if (site->file)
        json_object_set_new(location, "physicalLocation", sarif_physical(trace, site));
    if (site->function)
        json_object_set_new(
            location, "logicalLocations",
            json_pack("[{s:o, s:s}]", "name", json_text(site->function), "kind", "function"));
    if (text)
        json_object_set_new(location, "message", sarif_message(text));
    return location;
}

/* The place itself and its callers; NULL if no caller is known. */
static json_t *sarif_stack(const struct trace *trace, const struct trace_site *site, uint32_t stack)
{
    json_t *frames;

    if (!stack)
        return NULL;
    frames = json_pack("[{s:o}]", "location", sarif_location(trace, site, NULL));
    for (int i = 0; stack && i < FRAMES_MAX; i++) {
        const struct trace_frame *frame = &trace->frames.at[stack - 1];

        json_array_append_new(
            frames, json_pack("{s:o}", "location", sarif_location(trace, &frame->site, NULL)));
        stack = frame->up;
    }
    return json_pack("{s:o}", "frames", frames);
}

/* ---- the run */

/* What the variables hold after a step, those that it changed. */
static json_t *sarif_state(const struct trace *trace, uint32_t step, uint32_t *value)
{
    json_t *state = json_object();

    while (*value < trace->values.count && trace->values.at[*value].step <= step) {
        const struct trace_value *v = &trace->values.at[(*value)++];
        json_t *name = json_text(trace->variables.at[v->variable].name);

        if (v->step == step && name)
            json_object_set_new(state, json_string_value(name), sarif_message(v->text));
        json_decref(name);
    }
    return state;
}

static json_t *sarif_step(const struct trace *trace, uint32_t index, uint32_t store,
                          uint32_t *value)
{
    const struct trace_step *step = &trace->steps.at[index];
    json_t *location, *stack = sarif_stack(trace, &step->site, step->stack);
    char text[WORDS_MAX];

    words_step(trace, index, store, text, sizeof text);
    location = json_pack("{s:I, s:o, s:o}", "executionOrder", (json_int_t)index + 1, "location",
                         sarif_location(trace, &step->site, text), "state",
                         sarif_state(trace, index + 1, value));
    if (stack)
        json_object_set_new(location, "stack", stack);
    return location;
}

/* Where a thread that cannot go on stands. */
static void sarif_waits(const struct trace *trace, json_t *const *threads)
{
    char text[WORDS_MAX];

    for (uint32_t i = 0; i < trace->waits.count; i++) {
        const struct trace_wait *wait = &trace->waits.at[i];

        snprintf(text, sizeof text, "waits for %s", wait->text);
        json_array_append_new(threads[wait->thread],
                              json_pack("{s:I, s:s, s:o}", "executionOrder",
                                        (json_int_t)trace->steps.count + 1, "importance",
                                        "essential", "location",
                                        sarif_location(trace, &wait->site, text)));
    }
}

/* A thread flow for each thread that does something; the schema wants one location at least. */
static json_t *sarif_flows(const struct trace *trace, struct arena *arena)
{
    json_t **threads = arena_alloc(arena, trace->threads.count * sizeof *threads);
    uint32_t *link = words_link_flushes(trace, arena), value = 0;
    json_t *flows = json_array();
    char name[WORDS_MAX], id[16];

    for (uint32_t i = 0; i < trace->threads.count; i++)
        threads[i] = json_array();
    for (uint32_t i = 0; i < trace->steps.count && i < STEPS_MAX; i++)
        json_array_append_new(threads[trace->steps.at[i].thread],
                              sarif_step(trace, i, link[i], &value));
    sarif_waits(trace, threads);
    for (uint32_t i = 0; i < trace->threads.count; i++) {
        if (json_array_size(threads[i]) == 0) {
            json_decref(threads[i]);
            continue;
        }
        snprintf(id, sizeof id, "T%" PRIu32, i);
        words_thread(trace, i, name, sizeof name);
        json_array_append_new(flows, json_pack("{s:s, s:o, s:o}", "id", id, "message",
                                               sarif_message(name), "locations", threads[i]));
    }
    return flows;
}

/* ---- places that have to do with it */

static bool related_add(json_t *related, const struct trace *trace, const struct trace_site *site,
                        const char *text)
{
    json_t *location;

    if (!site->file || json_array_size(related) == RELATED_MAX)
        return false;
    location = sarif_location(trace, site, text);
    json_object_set_new(location, "id", json_integer((json_int_t)json_array_size(related) + 1));
    return json_array_append_new(related, location) == 0;
}

static bool same_place(const struct trace_step *a, const struct trace_step *b)
{
    return a->thread == b->thread && a->site.line == b->site.line && a->op == b->op &&
           a->cell == b->cell;
}

/* The accesses that conflict, the last ones first: nearest to the bug. Those of a loop count once. */
static void related_conflicts(json_t *related, const struct trace *trace, struct arena *arena)
{
    conflict_vec conflicts = {0};
    char step[WORDS_MAX], text[WORDS_MAX + 64];

    conflicts_find(trace, arena, &conflicts);
    for (uint32_t i = conflicts.count; i-- > 0;) {
        const struct trace_step *first = &trace->steps.at[conflicts.at[i].first];
        const struct trace_step *second = &trace->steps.at[conflicts.at[i].second];
        uint32_t newer = i + 1;

        while (newer < conflicts.count && newer - i < CONFLICTS_LOOK &&
               !(same_place(first, &trace->steps.at[conflicts.at[newer].first]) &&
                 same_place(second, &trace->steps.at[conflicts.at[newer].second])))
            newer++;
        if (newer < conflicts.count && newer - i < CONFLICTS_LOOK)
            continue;
        words_step(trace, conflicts.at[i].first, 0, step, sizeof step);
        snprintf(text, sizeof text,
                 "T%" PRIu32 ": %s (step %" PRIu32 "), before step %" PRIu32 " of T%" PRIu32,
                 first->thread, step, conflicts.at[i].first + 1, conflicts.at[i].second + 1,
                 second->thread);
        if (!related_add(related, trace, &first->site, text) &&
            json_array_size(related) == RELATED_MAX)
            return;
    }
}

static json_t *sarif_related(const struct trace *trace, struct arena *arena)
{
    json_t *related = json_array();
    char text[WORDS_MAX];

    for (uint32_t i = 0; i < trace->waits.count; i++) {
        const struct trace_wait *wait = &trace->waits.at[i];

        snprintf(text, sizeof text, "T%" PRIu32 " waits for %s", wait->thread, wait->text);
        related_add(related, trace, &wait->site, text);
    }
    related_conflicts(related, trace, arena);
    return related;
}

/* ---- results */

static int rule_of(const char *kind)
{
    for (size_t i = 0; i < RULES; i++)
        if (strcmp(rules[i].kind, kind) == 0)
            return (int)i;
    return -1;
}

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

static void result_add_run(json_t *result, const struct trace *run)
{
    struct arena arena;
    json_t *flows, *stack = sarif_stack(run, &run->bug.site, run->bug.stack);

    if (stack)
        json_object_set_new(result, "stacks", json_pack("[o]", stack));
    if (arena_open(&arena, ARENA_RESERVE) != 0)
        return;
    flows = sarif_flows(run, &arena);
    if (json_array_size(flows))
        json_object_set_new(result, "codeFlows", json_pack("[{s:o}]", "threadFlows", flows));
    else
        json_decref(flows);
    json_object_set_new(result, "relatedLocations", sarif_related(run, &arena));
    arena_close(&arena);
}

static json_t *sarif_result(const struct result_bug *bug, const char *level)
{
    struct trace_site site = {.file = bug->file, .line = bug->line};
    json_t *result;

    if (bug->run)
        site = bug->run->bug.site;
    result =
        json_pack("{s:o, s:s, s:o, s:o}", "ruleId", json_text(bug->kind), "level", level, "message",
                  sarif_message(bug->message), "partialFingerprints", sarif_fingerprint(bug));
    if (rule_of(bug->kind) >= 0)
        json_object_set_new(result, "ruleIndex", json_integer(rule_of(bug->kind)));
    if (site.file)
        json_object_set_new(result, "locations",
                            json_pack("[o]", sarif_location(bug->run, &site, NULL)));
    if (bug->trace)
        json_object_set_new(result, "properties",
                            json_pack("{s:o}", "trace", json_text(bug->trace)));
    if (bug->run)
        result_add_run(result, bug->run);
    return result;
}

static json_t *sarif_rules(void)
{
    json_t *list = json_array();

    for (size_t i = 0; i < RULES; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:{s:s}, s:{s:s}}", "id", rules[i].kind, "name",
                                        rules[i].name, "shortDescription", "text", rules[i].text,
                                        "defaultConfiguration", "level", "error"));
    return list;
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

static json_t *sarif_run(const struct result *result)
{
    json_t *results = json_array(), *run;

    for (uint32_t i = 0; i < result->bugs.count; i++)
        json_array_append_new(results, sarif_result(&result->bugs.at[i], "error"));
    for (uint32_t i = 0; i < result->warnings.count; i++)
        json_array_append_new(results, sarif_result(&result->warnings.at[i], "warning"));
    run = json_pack("{s:{s:{s:s, s:o}}, s:o, s:{s:o, s:s, s:o}}", "tool", "driver", "name",
                    "raddle", "rules", sarif_rules(), "results", results, "properties", "subject",
                    json_text(result->subject), "verdict", result->verdict, "model",
                    json_text(result->model));
    if (result->reduction)
        json_object_set_new(run, "invocations", json_pack("[o]", sarif_invocation(result)));
    return run;
}

static bool write_result(const struct result *result, FILE *out)
{
    json_t *log = json_pack("{s:s, s:s, s:[o]}", "$schema", SCHEMA, "version", "2.1.0", "runs",
                            sarif_run(result));
    bool ok = log && json_dumpf(log, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;

    if (!log)
        errno = ENOMEM;
    json_decref(log);
    return ok;
}

static bool write_trace(const struct trace *trace, FILE *out)
{
    struct result_bug bug;
    struct result result;

    result_of_trace(trace, &result, &bug);
    return write_result(&result, out);
}

const struct report_ops report_sarif = {"sarif", write_trace, write_result};
