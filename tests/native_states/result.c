#include "result.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "native/outcome.h"

enum { SECONDS_MAX = 120 }; /* for one run of raddle: a hang, on any machine */

void result_free(struct result *result)
{
    free(result->finals);
    result->finals = NULL;
}

/* ---- bugs */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int compare_finals(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void list_add(struct bug_list *list, const char *format, ...)
{
    va_list args;

    if (list->count == RESULT_BUGS_MAX)
        return;
    va_start(args, format);
    vsnprintf(list->at[list->count++], RESULT_BUG_TEXT, format, args);
    va_end(args);
}

static void list_settle(struct bug_list *list)
{
    unsigned count = 0;

    qsort(list->at, list->count, sizeof *list->at, compare_texts);
    for (unsigned i = 0; i < list->count; i++)
        if (i == 0 || strcmp(list->at[i], list->at[count - 1]) != 0)
            memmove(list->at[count++], list->at[i], sizeof *list->at);
    list->count = count;
}

static bool list_has(const struct bug_list *list, const char *text)
{
    return bsearch(text, list->at, list->count, sizeof *list->at, compare_texts) != NULL;
}

/* Which access comes first is chance: "WAY of NAME by T1 (NAME) races with the WAY by T2 (NAME) in FUNCTION at FILE:LINE" of the place at `line`. */
static void race_add(const char *message, int line, struct result *result)
{
    char sides[2][50];
    const char *races = strstr(message, " races with the "), *colon = strrchr(message, ':');
    const char *of = strstr(message, " of "), *by = of ? strstr(of, " by T") : NULL;

    if (!races || !colon || !by || by > races) {
        list_add(&result->bugs, "data-race at %d", line);
        return;
    }
    list_add(&result->bugs, "data-race%.*s", (int)(by - of), of);
    races += strlen(" races with the ");
    snprintf(sides[0], sizeof sides[0], "%.*s at %d", (int)strcspn(message, " "), message, line);
    snprintf(sides[1], sizeof sides[1], "%.*s at %d", (int)strcspn(races, " "), races,
             atoi(colon + 1));
    bool turned = strcmp(sides[0], sides[1]) > 0;
    list_add(&result->pairs, "%s, %s", sides[turned], sides[!turned]);
}

static void bugs_read(const json_t *bugs, struct result *result)
{
    for (size_t i = 0; i < json_array_size(bugs); i++) {
        const json_t *bug = json_array_get(bugs, i);
        const char *kind = json_string_value(json_object_get(bug, "kind"));
        const char *message = json_string_value(json_object_get(bug, "message"));
        int line = (int)json_integer_value(json_object_get(bug, "line"));

        if (kind && message && strcmp(kind, "data-race") == 0)
            race_add(message, line, result);
        else if (kind && (strcmp(kind, "deadlock") == 0 || strcmp(kind, "spin") == 0))
            list_add(&result->bugs, "%s", kind); /* its place is that of one who waits */
        else
            list_add(&result->bugs, "%s at %d", kind ? kind : "?", line);
    }
    list_settle(&result->bugs);
    list_settle(&result->pairs);
}

bool result_has(const struct result *result, const char *kind)
{
    for (unsigned i = 0; i < result->bugs.count; i++)
        if (strncmp(result->bugs.at[i], kind, strlen(kind)) == 0)
            return true;
    return false;
}

/* ---- running raddle */

static void report_read(const char *path, struct result *result)
{
    json_error_t error;
    json_t *report = json_load_file(path, 0, &error);
    const char *verdict = json_string_value(json_object_get(report, "verdict"));
    const char *reason = json_string_value(json_array_get(json_object_get(report, "reasons"), 0));

    snprintf(result->verdict, sizeof result->verdict, "%s", verdict ? verdict : "none");
    snprintf(result->reason, sizeof result->reason, "%s", reason ? reason : "");
    result->executions = (uint64_t)json_integer_value(json_object_get(report, "executions"));
    result->blocked = (uint64_t)json_integer_value(json_object_get(report, "blocked"));
    result->states = (uint64_t)json_integer_value(json_object_get(report, "states"));
    result->revisited = (uint64_t)json_integer_value(json_object_get(report, "revisited"));
    result->revisited += (uint64_t)json_integer_value(
        json_object_get(json_object_get(report, "symmetric"), "saved"));
    bugs_read(json_object_get(report, "bugs"), result);
    if (!report)
        snprintf(result->problem, sizeof result->problem, "%s: %s", path, error.text);
    json_decref(report);
}

/* As tests/native/prelude.h leaves it: how many there are, and they. */
static void finals_read(const char *path, struct result *result)
{
    FILE *file = fopen(path, "r");
    uint64_t count = 0;

    if (file && fread(&count, sizeof count, 1, file) != 1)
        count = 0; /* no run came to its end */
    result->finals = calloc((size_t)count + 1, sizeof *result->finals);
    if (!result->finals)
        abort();
    if (file) {
        count = fread(result->finals, sizeof *result->finals, (size_t)count, file);
        fclose(file);
    }
    qsort(result->finals, (size_t)count, sizeof *result->finals, compare_finals);
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || result->finals[i] != result->finals[i - 1])
            result->finals[result->final_count++] = result->finals[i];
}

void result_of(const struct search *search, struct result *result)
{
    char number[16], limit[24], seconds[24], kind[32], jobs[16];
    char *argv[] = {(char *)search->raddle,
                    "check",
                    "--keep-going",
                    "--minimise=0",
                    "--model",
                    (char *)search->model,
                    kind,
                    "--max-executions",
                    limit,
                    "--timeout",
                    seconds,
                    "--json",
                    "result.json",
                    search->apart ? "--no-commute=all" : "--keep-going",
                    search->jobs ? jobs : "--keep-going",
                    search->states ? "--stateful=exact" : "--keep-going",
                    "--reduction",
                    search->reduction ? (char *)search->reduction : "optimal",
                    "--rounds",
                    search->rounds ? (char *)search->rounds : "changing",
                    "--races",
                    search->races ? (char *)search->races : "report",
                    (char *)search->binary,
                    "--",
                    number,
                    "states",
                    NULL};

    memset(result, 0, sizeof *result);
    snprintf(number, sizeof number, "%u", search->number);
    snprintf(limit, sizeof limit, "%" PRIu64, search->limit);
    snprintf(seconds, sizeof seconds, "%u", search->seconds);
    snprintf(kind, sizeof kind, "--%s", search->kind);
    snprintf(jobs, sizeof jobs, "-j%u", search->jobs);
    unlink("result.json");
    FILE *states = fopen("states", "w");
    if (!states || fclose(states) != 0) {
        snprintf(result->problem, sizeof result->problem, "the file of states cannot be made");
        return;
    }
    int status = command_run(argv, "check.log", SECONDS_MAX);
    if (status != 0 && status != 1 && status != 3) {
        snprintf(result->problem, sizeof result->problem, "raddle check: exit status %d", status);
        return;
    }
    report_read("result.json", result);
    finals_read("states", result);
}

/* ---- comparing */

static unsigned bugs_only_in(const struct result *a, const struct result *b, const char *who,
                             FILE *out)
{
    unsigned count = 0;

    for (unsigned i = 0; i < a->bugs.count; i++) {
        if (list_has(&b->bugs, a->bugs.at[i]))
            continue;
        fprintf(out, "  only %s: %s\n", who, a->bugs.at[i]);
        count++;
    }
    return count;
}

unsigned result_pairs_only(const struct result *a, const struct result *b)
{
    unsigned count = 0;

    for (unsigned i = 0; i < a->pairs.count; i++)
        count += !list_has(&b->pairs, a->pairs.at[i]);
    return count;
}

static uint32_t finals_only_in(const struct result *a, const struct result *b)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < a->final_count; i++)
        count +=
            !bsearch(&a->finals[i], b->finals, b->final_count, sizeof *b->finals, compare_finals);
    return count;
}

bool result_compare(const struct result *plain, const struct result *stateful, FILE *out)
{
    uint32_t lost, more;
    bool same = true;

    if (plain->problem[0] || stateful->problem[0]) {
        fprintf(out, "  %s%s\n", plain->problem, stateful->problem);
        return false;
    }
    if (strcmp(plain->verdict, stateful->verdict) != 0) {
        fprintf(out, "  %s without states, %s with them (%s)\n", plain->verdict, stateful->verdict,
                stateful->reason);
        same = false;
    }
    same &= bugs_only_in(plain, stateful, "without states", out) == 0;
    same &= bugs_only_in(stateful, plain, "with states", out) == 0;
    lost = finals_only_in(plain, stateful);
    more = finals_only_in(stateful, plain);
    if (lost || more)
        fprintf(out,
                "  final states: %" PRIu32 " only without states, %" PRIu32 " only with them\n",
                lost, more);
    return same && !lost && !more;
}
