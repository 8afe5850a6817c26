#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "cli/bug_print.h"
#include "cli/check.h"
#include "cli/driver.h"
#include "cli/native.h"
#include "cli/race_advice.h"
#include "cli/report.h"
#include "cli/tree_file.h"

#define ARENA_RESERVE ((size_t)1 << 32)

/* Processes that may die before the search is given up. */
#define DEATHS_MAX 1000

/* Processes that may get stuck before the search is given up: each costs seconds. */
#define STUCK_MAX 3

/* Data races that are let pass and whose runs are made short all the same: there may be many. */
#define WARNINGS_SHORT 3

/* One native program being checked. */
struct native_check {
    const char *program;
    char *const *argv; /* argv[0] included */
    const char *subject;
    const struct settings *settings;
    struct arena arena;
    struct report report;
    struct driver driver;
    unsigned deaths; /* of processes, so far */
    unsigned stuck;
};

/* ---- while it runs */

static double started;

/* One line that is overwritten; only on a terminal. */
static void status_line(struct driver *driver)
{
    const struct explorer_stats *stats = &driver->session->explorer.stats;
    const struct sample_stats *sampled = &stats->sampled;
    double seconds = seconds_now() - started;

    if (sampled->runs) {
        fprintf(stderr,
                "\r%.0f s, %" PRIu64 " runs, %.0f a second, %" PRIu64
                " traces, %.2g %% of runs show a new one, %u bugs\033[K",
                seconds, sampled->runs, (double)sampled->runs / seconds, sampled->traces,
                100 * sample_unseen(sampled), driver->session->bugs.count);
        fflush(stderr);
        return;
    }
    fprintf(stderr,
            "\r%" PRIu64 " executions, %.0f a second, depth %u, %u bugs, about %.1f %% done",
            stats->executions, seconds > 0 ? (double)stats->executions / seconds : 0,
            driver->session->explorer.execution.events.count, driver->session->bugs.count,
            100 * stats->progress);
    if (stats->states.states)
        fprintf(stderr, ", %" PRIu64 " states, %" PRIu64 " revisits", stats->states.states,
                stats->states.revisited);
    fputs("\033[K", stderr);
    fflush(stderr);
}

static void status_clear(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

/* ---- what came of it */

/* Each reason once. */
static void reason_add(struct native_check *check, const char *reason)
{
    for (uint32_t i = 0; i < check->report.reasons.count; i++)
        if (strcmp(check->report.reasons.at[i], reason) == 0)
            return;
    vec_push(&check->arena, &check->report.reasons, report_text(&check->report, reason));
}

/* One death stands for all that happen to the same thread for the same reason. */
static bool killed_before(const struct session *session, const struct session_bug *bug)
{
    for (uint32_t i = 0; i < session->bugs.count; i++)
        if (session->bugs.at[i].thread == bug->thread &&
            strcmp(session->bugs.at[i].message, bug->message) == 0)
            return true;
    return false;
}

/* The process died without a word: the search in shared memory tells what it was doing. */
static void killed_bug(struct native_check *check, const struct driver_end *end)
{
    struct session *session = check->driver.session;
    char message[200];
    struct session_bug bug = {.kind = BUG_CRASH};

    if (end->exited)
        snprintf(message, sizeof message, "the process ended by itself with status %d",
                 end->status);
    else
        snprintf(message, sizeof message, "the process was killed by signal %d (%s)", end->status,
                 strsignal(end->status));
    bug.message = report_text(&check->report, message);
    if (session->tree.max && session->tree.path.count && !session->explorer.replaying)
        tree_end(&session->tree, session->tree.path.count - 1, TREE_BUG);
    session_schedule(session, &bug);
    if (bug.schedule_count)
        bug.thread = vec_last(&session->schedules).thread;
    if (killed_before(session, &bug))
        session->schedules.count = bug.schedule_first;
    else
        vec_push(&session->arena, &session->bugs, bug);
}

/* A thread that makes no step any more stays where it is; whether others go on can be explored. */
static bool stuck_goes_on(struct native_check *check, const struct driver_end *end)
{
    struct session *session = check->driver.session;

    reason_add(check, end->why);
    return session->in_program && session->explorer.execution.events.count > 0 &&
           ++check->stuck < STUCK_MAX;
}

/* Whether another process shall take up the search of one that has died, which is a bug. In a run that has just shown something new
 * about the program it is none yet: the search begins anew, and the same run, with other steps, shows it again. */
static bool death_goes_on(struct native_check *check, const struct driver_end *end)
{
    struct session *session = check->driver.session;
    bool again = session->begin_anew && session->in_program && check->deaths < DEATHS_MAX;

    if (!again)
        killed_bug(check, end);
    check->deaths++;
    return again || (check->settings->keep_going && session->in_program &&
                     session->explorer.execution.events.count > 0 && check->deaths <= DEATHS_MAX);
}

/* Runs the program until the search is over. A process that dies is a bug; if the search shall go on, another one
 * takes it up, as long as it was the program that died and not the engine. */
static bool run_all(struct native_check *check, struct driver_end *end)
{
    struct session *session = check->driver.session;

    for (;;) {
        session->in_program = false;
        if (!driver_run(&check->driver, check->program, check->argv, -1,
                        isatty(STDERR_FILENO) ? status_line : NULL, end))
            return false;
        if (end->stuck && session->phase == SESSION_STARTING)
            reason_add(check, end->why);
        if (session->phase != SESSION_RUNNING || end->timed_out ||
            (end->exited && end->status == EXIT_RADDLE_IS_WRONG))
            return true;
        if (!(end->stuck ? stuck_goes_on(check, end) : death_goes_on(check, end)))
            return true;
        session->job = SESSION_RESUME;
    }
}

/* A data race that was let pass. */
static bool is_warning(const struct native_check *check, const struct session_bug *bug)
{
    return check->settings->races_warn && bug->kind == BUG_DATA_RACE;
}

static const char *trace_path(struct native_check *check, uint32_t number)
{
    char path[PATH_MAX];
    const char *base = strrchr(check->subject, '/');
    int stem;

    base = base ? base + 1 : check->subject;
    stem = (int)strcspn(base, ".");
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
    if (is_warning(check, &found->bug) && check->report.warnings.count >= WARNINGS_SHORT)
        settings.minimise_seconds = 0;
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

static void unsupported_report(struct native_check *check)
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
    if (unseen->site.file)
        fprintf(out, "%s:%" PRIu32 ": ", unseen->site.file, unseen->site.line);
    fprintf(out, "note: raddle does not see into %s", unseen->name);
    if (unseen->library)
        fprintf(out, " (%s)", unseen->library);
    if (unseen->shared)
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

/* Each function once; what was called beside other threads makes the verdict incomplete. */
static void unseen_report(struct native_check *check)
{
    const struct session *session = check->driver.session;
    char reason[400] = "not seen: ";

    for (uint32_t i = 0; i < session->unseen.count; i++) {
        const struct session_unseen *unseen = &session->unseen.at[i];
        size_t used = strlen(reason);

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
        if (unseen->shared && used < sizeof reason - 80)
            snprintf(reason + used, sizeof reason - used, "%s%.60s", used > 10 ? ", " : "",
                     unseen->name);
        else if (unseen->shared && strcmp(reason + used - 3, "...") != 0)
            snprintf(reason + used, sizeof reason - used, ", ...");
    }
    if (strlen(reason) > strlen("not seen: "))
        reason_add(check, reason);
}

/* Copies the bugs out of the session: replays need its place in memory. */
static void bugs_report(struct native_check *check)
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
}

/* A program that did something that is not modelled may owe it to that: then nothing is shown, and it is no bug. */
static void divergence_report(struct native_check *check)
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
static void endless_report(struct native_check *check)
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
static int start_failed(struct native_check *check, const struct driver_end *end)
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

/* Nothing was found now: a run in a file of that name is from an earlier check, and who looks at it should know. */
static void stale_note(struct native_check *check)
{
    const char *trace = trace_path(check, 0);

    if (access(trace, F_OK) == 0)
        fprintf(report_stream(check->settings),
                "note: %s is from an earlier check; this one has found no bug\n", trace);
}

static int check_finish(struct native_check *check, const struct driver_end *end, double seconds)
{
    struct session *session = check->driver.session;
    char reason[200];
    bool drawn;
    int status;

    if (!end->timed_out && !end->stuck &&
        (session->phase == SESSION_STARTING || session->phase == SESSION_REFUSED))
        return start_failed(check, end);
    if (end->exited && end->status == EXIT_RADDLE_IS_WRONG)
        return EXIT_RADDLE_IS_WRONG;
    report_set_stats(&check->report, &session->explorer.stats, seconds);
    if (session->untold)
        check->report.untold = report_text(&check->report, session->untold);
    endless_report(check);
    if (end->timed_out)
        vec_push(&check->arena, &check->report.reasons, cut_reason_text(CUT_TIMEOUT));
    else if (session->phase == SESSION_RUNNING && !end->stuck)
        vec_push(&check->arena, &check->report.reasons, "the process of the program died");
    if (session->phase == SESSION_DIVERGED)
        divergence_report(check);
    check->report.threads = session->threads.count;
    unsupported_report(check);
    unseen_report(check);
    check->report.suppressed = session->suppressed;
    drawn = tree_file_write(check->settings, &session->tree, check->subject);
    bugs_report(check);
    if (race_warnings_reason(&check->report, reason, sizeof reason))
        reason_add(check, reason);
    race_advise(&check->report);
    if (check->report.bugs.count == 0 && check->report.warnings.count == 0)
        stale_note(check);
    status = report_finish(&check->report);
    return drawn ? status : EXIT_STATUS_ENVIRONMENT;
}

int check_program(const char *program, char *const *arguments, const char *subject,
                  const struct settings *settings)
{
    struct native_check check = {
        .program = program, .subject = subject, .settings = settings, .driver = {.fd = -1}};
    struct driver_end end;
    int status = EXIT_STATUS_ENVIRONMENT;

    if (!driver_accepts(program))
        return EXIT_STATUS_USAGE;
    check.argv = native_argv(program, arguments);
    if (arena_open(&check.arena, ARENA_RESERVE) == 0 && driver_open(&check.driver, settings)) {
        report_open(&check.report, &check.arena, subject, settings);
        started = seconds_now();
        if (run_all(&check, &end)) {
            status_clear();
            status = check_finish(&check, &end, seconds_now() - started);
        }
    }
    driver_close(&check.driver);
    arena_close(&check.arena);
    free((void *)check.argv);
    return status;
}

/* ---- sources */

/* Whether one of the words is a source of C++, which has to be linked by its compiler. */
static bool any_cxx(char *const *words)
{
    static const char *const suffixes[] = {".cc", ".cpp", ".cxx", ".C"};

    for (; *words; words++)
        for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
            size_t length = strlen(*words), suffix = strlen(suffixes[i]);

            if (length > suffix && strcmp(*words + length - suffix, suffixes[i]) == 0)
                return true;
        }
    return false;
}

/* Runs `raddle cc` or `raddle c++` with the words; its messages are the compiler's own. */
static bool compile(char *const *words, const char *program)
{
    size_t count = 0;
    char **argv;
    int status;
    pid_t pid;

    while (words[count])
        count++;
    argv = calloc(count + 6, sizeof *argv);
    CHECK(argv, "out of memory");
    argv[0] = (char *)"raddle";
    argv[1] = (char *)(any_cxx(words) ? "c++" : "cc");
    argv[2] = (char *)"-o";
    argv[3] = (char *)program;
    argv[4] = (char *)"-g"; /* for replay --gdb; any -g of the user's comes later and wins */
    for (size_t i = 0; i < count; i++)
        argv[5 + i] = words[i];
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        /* it will never run unchecked: its functions need no code for that */
        setenv("RADDLE_PASS_OPTIONS", "plain=0", 0);
        execv("/proc/self/exe", argv);
        _exit(127);
    }
    free(argv);
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static const char *first_source(char *const *words)
{
    for (; *words; words++)
        if ((*words)[0] != '-')
            return *words;
    return "program";
}

/* A new directory for a compiled program, where it can stay if a trace refers to it. */
static bool cache_directory(char *path, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    const char *base = cache && cache[0] == '/' ? cache : home && home[0] == '/' ? home : "/tmp";

    snprintf(path, size, "%s%s", base, base == home ? "/.cache" : "");
    mkdir(path, 0700);
    snprintf(path + strlen(path), size - strlen(path), "/raddle");
    mkdir(path, 0700);
    snprintf(path + strlen(path), size - strlen(path), "/XXXXXX");
    if (mkdtemp(path))
        return true;
    fprintf(stderr, "raddle: %s: %s\n", path, strerror(errno));
    return false;
}

int check_sources(char *const *words, char *const *arguments, const struct settings *settings)
{
    char directory[PATH_MAX], program[PATH_MAX + NAME_MAX + 2];
    const char *source = first_source(words);
    const char *base = strrchr(source, '/');
    int status = EXIT_STATUS_USAGE;

    base = base ? base + 1 : source;
    if (!cache_directory(directory, sizeof directory - 32))
        return EXIT_STATUS_ENVIRONMENT;
    snprintf(program, sizeof program, "%s/%.*s", directory, (int)strcspn(base, "."), base);
    if (compile(words, program))
        status = check_program(program, arguments, source, settings);
    if (status != EXIT_STATUS_BUG) { /* else a replay will want it */
        unlink(program);
        rmdir(directory);
    }
    return status;
}
