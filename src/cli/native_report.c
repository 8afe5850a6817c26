#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "cli/bug_print.h"
#include "cli/cxx_name.h"
#include "cli/interrupt.h"
#include "cli/native.h"
#include "cli/native_check.h"

/* Data races that are let pass and whose runs are made short all the same: there may be many. */
#define WARNINGS_SHORT 3

void reason_add(struct native_check *check, const char *reason)
{
    for (uint32_t i = 0; i < check->report.reasons.count; i++)
        if (strcmp(check->report.reasons.at[i], reason) == 0)
            return;
    vec_push(&check->arena, &check->report.reasons, report_text(&check->report, reason));
}

/* A data race that was let pass. */
static bool is_warning(const struct native_check *check, const struct session_bug *bug)
{
    return check->settings->races_warn && bug->kind == BUG_DATA_RACE;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);

    return length >= size && strcmp(text + length - size, end) == 0;
}

/* As the user wants it, or the name of what is checked; further ones have a number. */
static const char *trace_path(struct native_check *check, uint32_t number)
{
    char path[PATH_MAX];
    const char *wanted = check->settings->trace;
    const char *slash = strrchr(check->subject, '/');
    const char *base = wanted ? wanted : slash ? slash + 1 : check->subject;
    int stem = (int)strcspn(base, ".");

    if (wanted && number == 0)
        return wanted;
    if (wanted)
        stem = (int)(strlen(wanted) - (ends_with(wanted, ".raddle") ? strlen(".raddle") : 0));
    if (number == 0)
        snprintf(path, sizeof path, "%.*s.raddle", stem, base);
    else
        snprintf(path, sizeof path, "%.*s-%u.raddle", stem, base, number + 1);
    return report_text(&check->report, path);
}

static session_text text_keep(struct native_case *found, session_text text)
{
    size_t size = text ? strlen(text) + 1 : 0;

    return text ? memcpy(arena_alloc(&found->arena, size), text, size) : NULL;
}

/* What the trace tells is what is reported, in the same words. */
static void words_keep(struct native_case *found, const struct native_case *again)
{
    found->bug.message = text_keep(found, again->bug.message);
    found->bug.detail = text_keep(found, again->bug.detail);
    if (found->bug.thread == again->bug.thread) {
        found->bug.site.file = text_keep(found, again->bug.site.file);
        found->bug.site.line = again->bug.site.line;
        found->bug.site.column = again->bug.site.column;
    }
    found->notes = text_keep(found, again->notes);
    for (uint32_t i = 0; i < found->threads.count && i < again->threads.count; i++)
        found->threads.at[i].name = text_keep(found, again->threads.at[i].name);
    for (int i = 0; i < 2; i++) /* only where it is: for its line */
        found->bug.sides[i].site =
            (struct session_site){.file = text_keep(found, again->bug.sides[i].site.file),
                                  .line = again->bug.sides[i].site.line,
                                  .column = again->bug.sides[i].site.column};
    found->output.count = 0;
    for (uint32_t i = 0; i < again->output.count; i++)
        vec_push(&found->arena, &found->output, again->output.at[i]);
}

/* Two replays must end in the bug, or it is not to be trusted. Then the second one becomes the trace. NULL, or what was wrong. */
static const char *bug_confirm(struct native_check *check, struct native_case *found,
                               const char **trace)
{
    struct native_case again;
    const char *problem = NULL;

    for (int i = 0; i < 2 && !problem; i++) {
        if (!native_replay_case(check->program, check->argv, check->settings, found, &again,
                                &problem)) {
            *trace = NULL;
            return NULL;
        }
        if (!problem && i == 0)
            native_case_follow(found, &again);
        if (!problem && i == 1 &&
            !native_trace_write(*trace, check->program, check->argv, check->settings, &again))
            *trace = NULL;
        if (!problem && i == 1)
            words_keep(found, &again);
        if (!problem)
            native_case_free(&again);
    }
    return problem;
}

/* How long it may take to make a run short: not beyond the time for all, and not if the user does not want to wait. */
static double minimise_seconds(const struct native_check *check, const struct session_bug *bug)
{
    double left = check->driver.deadline - seconds_now();
    double seconds = check->settings->minimise_seconds;

    if (interrupt_asked() ||
        (is_warning(check, bug) && check->report.warnings.count >= WARNINGS_SHORT))
        return 0;
    return check->driver.deadline > 0 && left < seconds ? left : seconds;
}

/* Makes the run short; if a short one does not fail again and again, it stays as it was found. */
static const char *bug_minimise(struct native_check *check, struct native_case *found,
                                const char **trace)
{
    struct settings settings = *check->settings;
    uint32_t length = found->schedule.count;
    struct session_choice *schedule = calloc(length + 1, sizeof *schedule);
    const char *problem = "";

    CHECK(schedule, "out of memory");
    for (uint32_t i = 0; i < length; i++)
        schedule[i] = found->schedule.at[i];
    settings.minimise_seconds = minimise_seconds(check, &found->bug);
    if (settings.minimise_seconds > 0 &&
        native_minimise_case(check->program, check->argv, &settings, found))
        problem = bug_confirm(check, found, trace);
    if (problem) {
        found->schedule.count = 0;
        for (uint32_t i = 0; i < length; i++)
            vec_push(&found->arena, &found->schedule, schedule[i]);
        problem = bug_confirm(check, found, trace);
    }
    free(schedule);
    return problem;
}

/* It may be due to raddle alone: a reason not to call the program safe, and no more. */
static void doubt_report(struct native_check *check, const struct session_bug *bug)
{
    char reason[600];

    snprintf(reason, sizeof reason, "a bug that may be none, as %s failed before it: %s: %.300s",
             bug->refused, bug_kind_names[bug->kind], bug->message);
    reason_add(check, reason);
}

/* It showed once, and by the same schedule not again: something besides the schedule decides, so it is a reason for doubt and no bug. */
static void bug_doubtful(struct native_check *check, const struct session_bug *bug,
                         const char *problem)
{
    FILE *out = report_stream(check->settings);
    char reason[600];

    fprintf(out, "note: once, but not again in a replay (%s): ", problem);
    bug_print(out, "", bug, NULL, NULL);
    snprintf(reason, sizeof reason, "a bug did not show again in a replay: %.160s: %.200s",
             bug->message, problem);
    reason_add(check, reason);
}

static void bug_report(struct native_check *check, struct native_case *found, uint32_t number)
{
    const struct session_bug *bug = &found->bug;
    const char *trace = trace_path(check, number);
    const char *problem = bug_minimise(check, found, &trace);

    if (problem) {
        bug_doubtful(check, bug, problem);
        return;
    }
    bug_print(report_stream(check->settings), is_warning(check, bug) ? "warning: " : "", bug, found,
              trace);
    if (bug->refused) {
        doubt_report(check, bug);
        return;
    }
    vec_push(&check->arena, is_warning(check, bug) ? &check->report.warnings : &check->report.bugs,
             (struct report_bug){
                 .kind = bug->kind,
                 .thread = bug->thread,
                 .line = bug->site.line,
                 .file = bug->site.file ? report_text(&check->report, bug->site.file) : NULL,
                 .message = report_text(&check->report, bug->message),
                 .trace = trace});
}

void unsupported_report(struct native_check *check)
{
    const struct session *session = check->driver.session;

    for (uint32_t i = 0; i < session->unsupported.count; i++) {
        char reason[300];

        snprintf(reason, sizeof reason, "not modelled: %s", session->unsupported.at[i]);
        reason_add(check, reason);
    }
}

static const char *unseen_effect(const struct session_unseen *unseen)
{
    return unseen->trusted ? "trusted" : unseen->shared ? "unchecked" : "alone";
}

/* What to write behind --trust: not all of the C library at once. */
static const char *unseen_trust(const struct session_unseen *unseen)
{
    bool large = !unseen->library || strncmp(unseen->library, "libc.so", 7) == 0 ||
                 strncmp(unseen->library, "libstdc++.so", 12) == 0;

    return large ? unseen->name : unseen->library;
}

static void unseen_print(FILE *out, const struct session_unseen *unseen)
{
    char name[200];

    if (unseen->site.file)
        fprintf(out, "%s:%" PRIu32 ": ", unseen->site.file, unseen->site.line);
    fprintf(out, "note: raddle does not see into %s", cxx_name(unseen->name, name, sizeof name));
    if (unseen->library)
        fprintf(out, " (%s)", unseen->library);
    if (unseen->shared && !unseen->library)
        fprintf(out,
                ": build its source by `raddle cc`, too; its accesses to memory are not checked, "
                "so nothing is proved (`--trust %s` takes them to disturb nobody)\n",
                unseen_trust(unseen));
    else if (unseen->shared)
        fprintf(
            out,
            ": its accesses to memory, if it makes any, are not checked, so nothing is "
            "proved; build it by `raddle cc`, too, if you have its source, or `--trust %s` takes "
            "them to disturb nobody\n",
            unseen_trust(unseen));
    else
        fprintf(
            out,
            ": called only while there was no other thread, so no race is missed; what it leaves "
            "behind in its library the next run finds\n");
}

void memory_report(const struct native_check *check)
{
    if (check->driver.session->hands_out_again)
        fputs(
            "note: a run frees and allocates so much that memory is handed out again: that a freed "
            "block is used is found while it waits for that, and not later (docs/native.md)\n",
            report_stream(check->settings));
}

/* Each function once; what was called beside other threads makes the verdict incomplete. */
/* Whether the list has that name: several functions of C++ may have one. */
static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
        if (at[-1] == ' ' && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

#define LIST_MAX  400
#define LISTED    60 /* characters of a name */
#define LIST_HEAD "not seen: "

/* Adds a name to the list that says why nothing is proved, as long as there is room. */
static void unseen_list(char list[LIST_MAX], const char *name)
{
    size_t used = strlen(list);
    char shown[LISTED + 1];

    snprintf(shown, sizeof shown, "%s", name);
    if (is_listed(list, shown) || is_listed(list, "..."))
        return;
    snprintf(list + used, LIST_MAX - used, "%s%s", used > strlen(LIST_HEAD) ? ", " : "",
             used < LIST_MAX - LISTED - 20 ? shown : "...");
}

void unseen_report(struct native_check *check)
{
    const struct session *session = check->driver.session;
    char list[LIST_MAX] = LIST_HEAD, name[200];

    for (uint32_t i = 0; i < session->unseen.count; i++) {
        const struct session_unseen *unseen = &session->unseen.at[i];

        vec_push(
            &check->arena, &check->report.unseen,
            (struct report_unseen){
                .function = report_text(&check->report, unseen->name),
                .library = unseen->library ? report_text(&check->report, unseen->library) : NULL,
                .file = unseen->site.file ? report_text(&check->report, unseen->site.file) : NULL,
                .line = unseen->site.line,
                .effect = unseen_effect(unseen)});
        if (unseen->trusted)
            continue;
        unseen_print(report_stream(check->settings), unseen);
        if (unseen->shared)
            unseen_list(list, cxx_name(unseen->name, name, sizeof name));
    }
    if (strlen(list) > strlen(LIST_HEAD))
        reason_add(check, list);
}

/* Copies the bugs out of the session first. */
uint32_t bugs_report(struct native_check *check)
{
    struct session *session = check->driver.session;
    uint32_t count = session->bugs.count, number = 0;
    bool poor = session->poor;
    struct native_case *cases = calloc(count + 1, sizeof *cases);

    CHECK(cases, "out of memory");
    for (uint32_t i = 0; i < count; i++)
        native_case_take(&cases[i], session, i);
    driver_close(&check->driver);
    for (int warnings = 0; warnings < 2;
         warnings++) /* the others come first, and get the first names */
        for (uint32_t i = 0; i < count; i++)
            if (is_warning(check, &cases[i].bug) == warnings)
                bug_report(check, &cases[i], number++);
    for (uint32_t i = 0; i < count; i++)
        native_case_free(&cases[i]);
    if (count && poor)
        fprintf(report_stream(check->settings),
                "note: the program was built without -g; with it, reports name members, elements "
                "and local variables\n");
    free(cases);
    return count;
}

/* A program that did something that is not modelled may owe it to that: then nothing is shown, and it is no bug. */
void divergence_report(struct native_check *check)
{
    const struct session *session = check->driver.session;
    struct session_bug bug = {.kind = BUG_NONDETERMINISM, .message = session->divergence};
    char reason[1000];

    if (session->unsupported.count == 0) {
        vec_push(&check->arena, &check->report.bugs,
                 (struct report_bug){.kind = bug.kind,
                                     .message = report_text(&check->report, bug.message)});
        bug_print(report_stream(check->settings), "", &bug, NULL, NULL);
    }
    snprintf(reason, sizeof reason, "the program is not deterministic: %s", session->divergence);
    reason_add(check, reason);
}

/* Who kept a run from ending is worth knowing: behind the reason that it was given up. */
void endless_report(struct native_check *check)
{
    const struct session *session = check->driver.session;
    char text[900];

    for (uint32_t i = 0; session->endless && i < check->report.reasons.count; i++)
        if (check->report.reasons.at[i] == cut_reason_text(CUT_MAX_STEPS)) {
            snprintf(text, sizeof text, "%s: %s", cut_reason_text(CUT_MAX_STEPS), session->endless);
            check->report.reasons.at[i] = report_text(&check->report, text);
        }
}

/* The first line that the program writes when it is started once more, or "". */
static const char *start_complaint(struct native_check *check, char *line, size_t size)
{
    struct driver_end end;
    FILE *output = tmpfile();

    line[0] = '\0';
    if (output &&
        driver_run(&check->driver, check->program, check->argv, fileno(output), NULL, &end)) {
        rewind(output);
        if (!fgets(line, (int)size, output))
            line[0] = '\0';
        line[strcspn(line, "\n")] = '\0';
    }
    if (output)
        fclose(output);
    return line;
}

/* It did not come as far as its main function. */
int start_failed(struct native_check *check, const struct driver_end *end)
{
    const struct session *session = check->driver.session;
    char line[500];

    fprintf(stderr, "raddle: %s: could not be started: ", check->subject);
    if (session->message)
        fprintf(stderr, "%s\n", session->message);
    else if (end->exited)
        fprintf(stderr, "its process ends with status %d before main", end->status);
    else
        fprintf(stderr, "its process is killed by signal %d (%s) before main", end->status,
                strsignal(end->status));
    if (!session->message) {
        start_complaint(check, line, sizeof line);
        fprintf(stderr, "%s%s\n", line[0] ? "; it says: " : "", line);
    }
    return EXIT_STATUS_ENVIRONMENT;
}

void stale_note(struct native_check *check)
{
    const char *trace = trace_path(check, 0);

    if (access(trace, F_OK) == 0)
        fprintf(report_stream(check->settings),
                "note: %s is from an earlier check; this one has found no bug\n", trace);
}
