#include "cli/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "cli/checkpoint_file.h"
#include "cli/driver.h"
#include "cli/interrupt.h"
#include "cli/mpi.h"
#include "cli/report_files.h"

static const char *set_keep_going(struct settings *settings, const char *value)
{
    (void)value;
    settings->keep_going = true;
    return NULL;
}

static const char *set_races(struct settings *settings, const char *value)
{
    settings->races_warn = strcmp(value, "warn") == 0;
    settings->races = settings->races_warn || strcmp(value, "report") == 0;
    return settings->races || strcmp(value, "ignore") == 0 ? NULL : "report, warn or ignore";
}

static const char *set_lock_order(struct settings *settings, const char *value)
{
    settings->lock_order = strcmp(value, "warn") == 0;
    return settings->lock_order || strcmp(value, "ignore") == 0 ? NULL : "warn or ignore";
}

/* Processes on this machine. */
#define JOBS_MAX 4096

static const char *set_jobs(struct settings *settings, const char *value)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (value[0] < '0' || value[0] > '9' || *end || number > JOBS_MAX)
        return "a number of processes, 0 for as many as there are processors";
    settings->jobs = number ? (uint32_t)number : cores > 0 ? (uint32_t)cores : 1;
    settings->search.shares = true;
    return NULL;
}

static const char *set_mpi(struct settings *settings, const char *value)
{
    (void)value;
    settings->mpi = true;
    return NULL;
}

static const char *set_suppressions(struct settings *settings, const char *value)
{
    settings->suppressions = value;
    return NULL;
}

static const char *set_trace(struct settings *settings, const char *value)
{
    if (!*value)
        return "a file name";
    settings->trace = value;
    return NULL;
}

static const char *set_exit_ok(struct settings *settings, const char *value)
{
    (void)value;
    settings->exit_is_bug = false;
    return NULL;
}

static const char *set_symmetry(struct settings *settings, const char *value)
{
    static const struct {
        const char *name;
        enum symmetry_kind kind;
    } kinds[] = {{"off", SYMMETRY_OFF}, {"new", SYMMETRY_NEW}, {"all", SYMMETRY_ALL}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, value ? value : "all") == 0) {
            settings->search.symmetry = kinds[i].kind;
            return NULL;
        }
    return "off, new or all";
}

static const char *set_leaks(struct settings *settings, const char *value)
{
    (void)value;
    settings->leaks = true;
    return NULL;
}

static const char *set_nondet_max(struct settings *settings, const char *value)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);

    if (value[0] < '0' || value[0] > '9' || *end || number > 1000)
        return "a number from 0 to 1000";
    settings->nondet_max = (uint32_t)number;
    return NULL;
}

static const char *set_minimise(struct settings *settings, const char *value)
{
    char *end;

    settings->minimise_seconds = strtod(value, &end);
    if (end == value || *end || !(settings->minimise_seconds >= 0) ||
        settings->minimise_seconds > 1e9)
        return "a number of seconds, 0 for not at all";
    return NULL;
}

/* Words with one comma between them, and nothing else. */
static bool is_list(const char *text)
{
    size_t length = strlen(text);

    return length > 0 && text[0] != ',' && text[length - 1] != ',' && !strstr(text, ",,") &&
           !strpbrk(text, " \t\n");
}

/* What the names are in lives as long as the process. */
static const char *set_trust(struct settings *settings, const char *value)
{
    static const char **names;
    static size_t count;
    char *rest, *word;

    if (!is_list(value))
        return "names or patterns, as inflate,libz.so*";
    rest = strdup(value);
    CHECK(rest, "out of memory");
    while ((word = strsep(&rest, ","))) {
        names = realloc(names, (count + 1) * sizeof *names);
        CHECK(names, "out of memory");
        names[count++] = word;
    }
    settings->trust = names;
    settings->trust_count = count;
    return NULL;
}

static const char *set_step_timeout(struct settings *settings, const char *value)
{
    char *end;

    settings->step_timeout = strtod(value, &end);
    if (end == value || *end || !(settings->step_timeout > 0) || settings->step_timeout > 1e9)
        return "a number of seconds greater than 0";
    return NULL;
}

static const char *set_rounds(struct settings *settings, const char *value)
{
    settings->rounds = strcmp(value, "changing") == 0;
    return settings->rounds || strcmp(value, "all") == 0 ? NULL : "changing or all";
}

#define SNAPSHOTS_TAKES "off; or auto, each or a number from 1 to 64, and :fork behind it for forks"

static const char *set_snapshots(struct settings *settings, const char *value)
{
    static const struct {
        const char *name;
        enum snapshots_kind kind;
        uint32_t max;
    } kinds[] = {{"off", SNAPSHOTS_OFF, 0},
                 {"auto", SNAPSHOTS_AUTO, SNAPSHOTS_AUTO_MAX},
                 {"each", SNAPSHOTS_EACH, SNAPSHOTS_MAX}};
    size_t length = strcspn(value, ":");
    char *end;
    unsigned long number = strtoul(value, &end, 10);

    settings->snapshots_fork = strcmp(value + length, ":fork") == 0;
    settings->snapshots_given = true;
    settings->snapshots = SNAPSHOTS_AUTO;
    settings->snapshots_max = (uint32_t)number;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(kinds[i].name, value, length) == 0 && !kinds[i].name[length]) {
            settings->snapshots = kinds[i].kind;
            settings->snapshots_max = kinds[i].max;
            return !value[length] || (settings->snapshots_fork && kinds[i].kind != SNAPSHOTS_OFF)
                       ? NULL
                       : SNAPSHOTS_TAKES;
        }
    return value[0] < '1' || value[0] > '9' || (*end && !settings->snapshots_fork) ||
                   end != value + length || number > SNAPSHOTS_MAX
               ? SNAPSHOTS_TAKES
               : NULL;
}

static const char *set_checkpoint(struct settings *settings, const char *value)
{
    settings->checkpoint = value;
    return *value ? NULL : "a file name";
}

static const char *set_checkpoint_interval(struct settings *settings, const char *value)
{
    char *end;

    settings->checkpoint_seconds = strtod(value, &end);
    if (end == value || *end || !(settings->checkpoint_seconds > 0) ||
        settings->checkpoint_seconds > 1e9)
        return "a number of seconds greater than 0";
    return NULL;
}

static const char *set_resume(struct settings *settings, const char *value)
{
    settings->resume = value;
    return *value ? NULL : "a file name";
}

static const struct option_row check_options[] = {
    {"jobs", "N", "-j N: search with N processes; 0: one a processor", set_jobs},
    {"mpi", NULL, "search with the other ranks that mpirun started", set_mpi},
    {"keep-going", NULL, "do not stop at the first bug", set_keep_going},
    OPTION_BACKTRACK,
    {"races", "report|warn|ignore", "data races; warn: go on; ignore: accesses are steps",
     set_races},
    {"lock-order", "warn", "of locks that threads take in different orders", set_lock_order},
    {"rounds", "changing|all", "all: also rounds of loops that change nothing", set_rounds},
    {"suppressions", "FILE", "races not to report: race:PATTERN, as ThreadSanitizer",
     set_suppressions},
#define REPORT(name, summary) {#name, "FILE", summary, report_set_##name},
#define REPORT_TRACE(name, summary)
#include "trace/reports.def"
#undef REPORT
#undef REPORT_TRACE
    {"trace", "FILE", "write a failing run there (default NAME.raddle)", set_trace},
    {"source-root", "DIR", "sarif: names of files as seen from there", report_set_source_root},
    {"tree", "FILE", "write the tree of a small search for GraphViz", report_set_tree},
    {"exit-ok", NULL, "ending with a status other than 0 is no bug", set_exit_ok},
    {"trust", "NAMES", "functions, libraries that need not be seen: f,libz.so*", set_trust},
    {"symmetry", "=off|new|all", "of threads that are alike, try one; new: only new ones",
     set_symmetry},
    {"leaks", NULL, "a block that nothing points to at the end is a bug", set_leaks},
    {"nondet-max", "N", "__VERIFIER_nondet_… give 0 to N (default 1)", set_nondet_max},
    {"step-timeout", "SECONDS", "for one step (default 5 in the kernel, 30 computing)",
     set_step_timeout},
    {"snapshots", "N", "auto (default), off, each or N: go back to states kept", set_snapshots},
    {"checkpoint", "FILE", "write there what is left of the search, now and then", set_checkpoint},
    {"checkpoint-interval", "SECONDS", "from one to the next (default 60)",
     set_checkpoint_interval},
    {"resume", "FILE", "go on with the search of a checkpoint", set_resume},
    {"minimise", "SECONDS", "for making a failing run short (default 5; 0: not)", set_minimise},
    {0},
};

static bool has_suffix(const char *text, const char *suffix)
{
    size_t a = strlen(text), b = strlen(suffix);

    return a >= b && strcmp(text + a - b, suffix) == 0;
}

static bool is_source(const char *word)
{
    static const char *const suffixes[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".i", ".o", ".a"};

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (has_suffix(word, suffixes[i]))
            return true;
    return false;
}

static bool any_source(char *const *words)
{
    for (; *words; words++)
        if ((*words)[0] != '-' && is_source(*words))
            return true;
    return false;
}

static bool is_elf(const char *file)
{
    char magic[4] = "";
    FILE *stream = fopen(file, "rb");

    if (!stream)
        return false;
    if (fread(magic, 1, sizeof magic, stream) != sizeof magic)
        magic[0] = '\0';
    fclose(stream);
    return memcmp(magic, "\177ELF", sizeof magic) == 0;
}

/* A file that cannot be checked, and what it is. False if it may be a script. */
static bool says_what_it_is(const char *file)
{
    static const struct {
        const char *suffix, *text;
    } known[] = {
        {".raddle",
         "is a recorded run: `raddle show %s` explains it, `raddle replay %s` repeats it"},
        {".h", "is a header: check a source that includes it"},
        {".hpp", "is a header: check a source that includes it"},
        {".litmus", "is a litmus test: `raddle litmus %s` runs it"},
        {".json", "is JSON, not a program"},
        {".sarif", "is JSON, not a program"},
        {".html", "is a page, not a program"},
        {".xml", "is XML, not a program"},
        {".sh", "is a shell script: check the programs that it starts"},
        {".py", "is Python: check the programs that it starts"},
        {".log", "is text, not a program"},
        {".md", "is text, not a program"},
        {".txt", "is text, not a program"},
        {".so", "is a library: check a program that links it"},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (has_suffix(file, known[i].suffix) && access(file, F_OK) == 0) {
            fprintf(stderr, "raddle: %s: ", file);
            fprintf(stderr, known[i].text, file, file);
            fprintf(stderr, "\n");
            return true;
        }
    return false;
}

/* What is left is a script. */
static int check_as_script(const char *file, const struct settings *settings)
{
    if (settings->trace) {
        fprintf(stderr, "raddle: --trace goes with programs: scripts have no recorded runs\n");
        return EXIT_STATUS_USAGE;
    }
    if (settings->lock_order) {
        fprintf(stderr, "raddle: --lock-order goes with programs, not with scripts\n");
        return EXIT_STATUS_USAGE;
    }
    return check_script(file, settings);
}

/* `words` come before "--", `arguments` behind it; both end with NULL. */
static int check_words(char **words, char **arguments, const struct settings *settings)
{
    char *first[2] = {NULL, NULL};
    int count = 0;

    if (!words[0] && arguments[0]) {
        first[0] = *arguments++;
        words = first;
    }
    while (words[count])
        count++;
    if (count > 0 && any_source(words))
        return check_sources(words, arguments, settings);
    if (count > 0 && words[0][0] == '-') {
        options_unknown(&subcommand_check, words[0], NULL);
        return EXIT_STATUS_USAGE;
    }
    if (count > 0 && is_elf(words[0]))
        return check_program(words[0], count > 1 ? words + 1 : arguments, words[0], settings);
    if (count != 1) {
        fprintf(stderr,
                "raddle: check takes one program, not %d; usage: raddle check [OPTIONS] FILE.c… | "
                "PROGRAM [ARGS…] | FILE.script\n",
                count);
        return EXIT_STATUS_USAGE;
    }
    if (says_what_it_is(words[0]))
        return EXIT_STATUS_USAGE;
    return check_as_script(words[0], settings);
}

/* What does not depend on the program. */
static bool settings_settle(struct settings *settings)
{
    if (!report_files_settle(settings) || !checkpoint_settle(settings) ||
        (settings->suppressions && !suppressions_read(settings->suppressions, NULL)))
        return false;
    if (settings->checkpoint_seconds == 0)
        settings->checkpoint_seconds = CHECKPOINT_SECONDS;
    return true;
}

/* With --mpi, one of several does what the others do without it; these help. */
static int check_as_rank(char **words, char **arguments, struct settings *settings)
{
    int status = settings->mpi ? mpi_enter(settings) : EXIT_STATUS_SAFE;

    if (status != EXIT_STATUS_SAFE)
        return status;
    interrupt_open();
    if (settings->mpi && mpi_rank() > 0)
        return mpi_serve(settings);
    return check_words(words, arguments, settings);
}

static int check_main(int argc, char **argv)
{
    struct settings settings;
    char **arguments = &argv[argc]; /* after "--": the program's own */
    char **words = calloc((size_t)argc + 1, sizeof *words);
    char **command = calloc((size_t)argc + 1, sizeof *command);
    int count, status;

    CHECK(words && command, "out of memory");
    memcpy(command, argv, (size_t)argc * sizeof *command);

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            arguments = &argv[i + 1];
            argc = i;
        }
    status = options_read(argc, argv, &subcommand_check, &settings, &count) ? EXIT_STATUS_SAFE
                                                                            : EXIT_STATUS_USAGE;
    settings.command = command;
    if (status == EXIT_STATUS_SAFE && settings.help) {
        help_subcommand(&subcommand_check);
    } else if (status == EXIT_STATUS_SAFE && !settings_settle(&settings)) {
        status = EXIT_STATUS_USAGE;
    } else if (status == EXIT_STATUS_SAFE) {
        memcpy(words, argv + 1, (size_t)count * sizeof *words);
        status = check_as_rank(words, arguments, &settings);
    }
    free(words);
    free(command);
    return status;
}

const struct subcommand subcommand_check = {
    .name = "check",
    .arguments = "FILE.c… | PROGRAM [ARGS…] | FILE.script",
    .summary = "explore a program, and tell whether it can fail",
    .about =
        "Runs a program under every thread interleaving that matters, and says whether one breaks "
        "it. Takes C sources, with options for the compiler among them (-DN=3, -O1, -lm …), a "
        "program built by `raddle cc` with its arguments (after `--` if they look like options of "
        "raddle), or a script.",
    .run = check_main,
    .mode = OPTIONS_FOR_COMPILER,
    .options = check_options,
};
