#include "outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_MAX = 120 }; /* for one run of raddle: a hang, on any machine */

static int compare_states(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

void outcome_settle(struct outcome *outcome)
{
    if (outcome->state_count)
        qsort(outcome->states, outcome->state_count, sizeof *outcome->states, compare_states);
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->states);
    free(outcome->in_order);
    memset(outcome, 0, sizeof *outcome);
}

/* ---- running raddle */

static void command_start(char *const *argv, const char *log)
{
    int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    setpgid(0, 0);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execv(argv[0], argv);
    _exit(127);
}

int command_run(char *const *argv, const char *log, unsigned seconds)
{
    sigset_t set, before;
    int status = 0;
    time_t end = time(NULL) + seconds;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, &before);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        command_start(argv, log);
    }
    while (child > 0 && waitpid(child, &status, WNOHANG) == 0) {
        if (time(NULL) > end)
            kill(-child, SIGKILL);
        sigtimedwait(&set, NULL, &(struct timespec){.tv_sec = 1});
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The last line of what raddle said, for the report. */
static void log_tail(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    char line[300];

    *text = '\0';
    while (file && fgets(line, sizeof line, file))
        snprintf(text, size, "%.*s", (int)strcspn(line, "\n"), line);
    if (file)
        fclose(file);
}

static bool kinds_read(const json_t *bugs, struct outcome *outcome)
{
    for (size_t i = 0; i < json_array_size(bugs); i++) {
        const char *kind = json_string_value(json_object_get(json_array_get(bugs, i), "kind"));
        int k = 0;
        while (kind && k < BUG_KIND_COUNT && strcmp(bug_kind_names[k], kind) != 0)
            k++;
        if (!kind || k == BUG_KIND_COUNT) {
            snprintf(outcome->problem, sizeof outcome->problem, "unknown kind of bug: %s",
                     kind ? kind : "none");
            return false;
        }
        outcome->kinds |= 1u << k;
    }
    return true;
}

/* The verdict must follow from the rest, and so must the exit status. */
static void verdict_check(const json_t *report, int status, struct outcome *outcome)
{
    const char *verdict = json_string_value(json_object_get(report, "verdict"));
    const char *expected = outcome->kinds ? "bug" : "safe";
    const json_t *reasons = json_object_get(report, "reasons");

    if (json_array_size(reasons))
        snprintf(outcome->problem, sizeof outcome->problem, "native: %s: %s",
                 verdict ? verdict : "no verdict", json_string_value(json_array_get(reasons, 0)));
    else if (!verdict || strcmp(verdict, expected) != 0 || status != (outcome->kinds != 0))
        snprintf(outcome->problem, sizeof outcome->problem,
                 "native: verdict %s, exit status %d, but the bugs say %s",
                 verdict ? verdict : "missing", status, expected);
}

static void report_read(const char *path, int status, struct outcome *outcome)
{
    json_error_t error;
    json_t *report = json_load_file(path, 0, &error);

    if (!report) {
        snprintf(outcome->problem, sizeof outcome->problem, "%s: %s", path, error.text);
        return;
    }
    outcome->executions = (uint64_t)json_integer_value(json_object_get(report, "executions"));
    outcome->given_up = (uint64_t)json_integer_value(json_object_get(report, "blocked"));
    if (kinds_read(json_object_get(report, "bugs"), outcome))
        verdict_check(report, status, outcome);
    json_decref(report);
}

/* As prelude.h leaves it: how many there are, and they. */
static void states_read(const char *path, struct outcome *outcome)
{
    FILE *file = fopen(path, "r");
    uint64_t count = 0;

    if (!file || fread(&count, sizeof count, 1, file) != 1 || count > UINT32_MAX ||
        !(outcome->states = malloc((size_t)(count + 1) * sizeof *outcome->states)))
        snprintf(outcome->problem, sizeof outcome->problem, "the file of states is no good");
    else
        outcome->state_count = (uint32_t)fread(outcome->states, 8, (size_t)count, file);
    outcome->in_order = malloc((outcome->state_count + 1) * sizeof *outcome->in_order);
    if (!outcome->in_order)
        abort();
    if (outcome->state_count)
        memcpy(outcome->in_order, outcome->states, outcome->state_count * sizeof *outcome->states);
    if (file)
        fclose(file);
}

void outcome_of_native(const char *raddle, const char *binary, unsigned number, const char *model,
                       uint64_t order, const char *stateful, bool apart, struct outcome *outcome)
{
    char program[16], seed[24], last[300];
    /* the runs that make a failing one short would leave their states, too; and in scripts nothing is a race */
    char *argv[20] = {(char *)raddle, "check",        "--keep-going",   "--model",
                      (char *)model,  "--minimise=0", "--races=ignore", "--json",
                      "result.json",  "--stateful",   (char *)stateful, (char *)binary};
    unsigned n = 12;

    memset(outcome, 0, sizeof *outcome);
    snprintf(program, sizeof program, "%u", number);
    snprintf(seed, sizeof seed, "%" PRIu64, order);
    if (order) {
        argv[n++] = "--seed";
        argv[n++] = seed;
    }
    if (apart)
        argv[n++] = "--no-commute=all";
    argv[n++] = "--";
    argv[n++] = program;
    argv[n] = "states";
    unlink("result.json");
    FILE *states = fopen("states", "w");
    if (!states || fclose(states) != 0) {
        snprintf(outcome->problem, sizeof outcome->problem, "states: %s", strerror(errno));
        return;
    }
    int status = command_run(argv, "check.log", SECONDS_MAX);
    if (status > 1) {
        log_tail("check.log", last, sizeof last);
        snprintf(outcome->problem, sizeof outcome->problem, "raddle check: exit status %d: %s",
                 status, last);
        return;
    }
    report_read("result.json", status, outcome);
    if (!outcome->problem[0])
        states_read("states", outcome);
    outcome_settle(outcome);
}

/* ---- comparing */

static void kinds_print(const char *who, uint32_t kinds, FILE *out)
{
    fprintf(out, "  %s:", who);
    for (int k = 0; k < BUG_KIND_COUNT; k++)
        if (kinds >> k & 1)
            fprintf(out, " %s", bug_kind_names[k]);
    fprintf(out, "%s\n", kinds ? "" : " none");
}

static uint32_t states_only_in(const struct outcome *a, const struct outcome *b)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < a->state_count; i++) {
        bool again = i > 0 && a->states[i] == a->states[i - 1];
        count +=
            !again && (b->state_count == 0 || !bsearch(&a->states[i], b->states, b->state_count,
                                                       sizeof *b->states, compare_states));
    }
    return count;
}

/* A search that has begun anew on its way leaves ends that do not count, before all others. */
static bool last_are(const struct outcome *native, const struct outcome *script)
{
    uint64_t *last = native->in_order + (native->state_count - script->state_count);

    qsort(last, script->state_count, sizeof *last, compare_states);
    return memcmp(last, script->states, script->state_count * sizeof *last) == 0;
}

/* How often each state was reached, too. */
static bool states_compare(const struct outcome *script, const struct outcome *native, FILE *out)
{
    if (script->state_count == native->state_count &&
        (script->state_count == 0 ||
         memcmp(script->states, native->states, script->state_count * sizeof *script->states) == 0))
        return true;
    if (native->state_count > script->state_count && script->state_count > 0 &&
        last_are(native, script))
        return true;
    fprintf(out,
            "  executions that reach the end: %" PRIu32 " in the script, %" PRIu32
            " natively; final states: %" PRIu32 " only in the script, %" PRIu32 " only natively\n",
            script->state_count, native->state_count, states_only_in(script, native),
            states_only_in(native, script));
    return false;
}

/* Which there are, however often. */
static bool states_agree(const struct outcome *script, const struct outcome *native, FILE *out)
{
    uint32_t missing = states_only_in(script, native), more = states_only_in(native, script);

    if (missing || more)
        fprintf(out, "  final states: %" PRIu32 " only in the script, %" PRIu32 " only natively\n",
                missing, more);
    return !missing && !more;
}

bool outcome_compare(const struct outcome *script, const struct outcome *native, bool counts,
                     FILE *out)
{
    bool same = true;

    if (script->problem[0] || native->problem[0]) {
        fprintf(out, "  %s%s\n", script->problem, native->problem);
        return false;
    }
    if (counts &&
        (script->executions != native->executions || script->given_up != native->given_up)) {
        fprintf(out,
                "  executions: %" PRIu64 " and %" PRIu64 " given up in the script, %" PRIu64
                " and %" PRIu64 " natively\n",
                script->executions, script->given_up, native->executions, native->given_up);
        same = false;
    }
    if (script->kinds != native->kinds) {
        kinds_print("bugs of the script", script->kinds, out);
        kinds_print("bugs of the program", native->kinds, out);
        same = false;
    }
    return (counts ? states_compare : states_agree)(script, native, out) && same;
}
