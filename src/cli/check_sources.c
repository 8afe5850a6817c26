#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "cli/check.h"
#include "cli/driver.h"
#include "cli/interrupt.h"
#include "cli/report.h"

#define ARENA_RESERVE ((size_t)1 << 20)

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

/* In the child: a group of its own, so that all its processes can be ended, even by the terminal's user; it may still write there. */
static void compiler_prepare(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_STATUS_ENVIRONMENT);
    interrupt_leave();
    setpgid(0, 0);
    signal(SIGTTOU, SIG_IGN);
    /* it will never run unchecked: its functions need no code for that */
    setenv("RADDLE_PASS_OPTIONS", "plain=0", 0);
}

/* Runs `raddle cc` or `raddle c++` with the words; its messages are the compiler's own. */
static bool compile(char *const *words, const char *program)
{
    size_t count = 0;
    bool compiled;
    char **argv;
    int status;
    pid_t self = getpid(), pid;

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
        compiler_prepare(self);
        execv("/proc/self/exe", argv);
        _exit(127);
    }
    free(argv);
    if (pid > 0) {
        setpgid(pid, pid); /* so does the child: whoever comes first */
        interrupt_child(-pid, true);
    }
    compiled =
        pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    interrupt_child(0, false);
    return compiled;
}

static const char *first_source(char *const *words)
{
    for (; *words; words++)
        if ((*words)[0] != '-')
            return *words;
    return "program";
}

/* A new directory below base/middle/raddle; false if that cannot be made. */
static bool directory_below(const char *base, const char *middle, char *path, size_t size)
{
    if (!base || base[0] != '/')
        return false;
    snprintf(path, size, "%s%s", base, middle);
    mkdir(path, 0700);
    snprintf(path + strlen(path), size - strlen(path), "/raddle");
    mkdir(path, 0700);
    snprintf(path + strlen(path), size - strlen(path), "/XXXXXX");
    return mkdtemp(path) != NULL;
}

/* A new directory for a compiled program, where it can stay if a trace refers to it. Those who build packages, and users of containers, may
 * have no home. */
static bool cache_directory(char *path, size_t size)
{
    if (directory_below(getenv("XDG_CACHE_HOME"), "", path, size) ||
        directory_below(getenv("HOME"), "/.cache", path, size) ||
        directory_below(getenv("TMPDIR"), "", path, size))
        return true;
    snprintf(path, size, "/tmp/raddle-XXXXXX"); /* nobody's directory is to be in the way */
    if (mkdtemp(path))
        return true;
    fprintf(stderr, "raddle: %s: %s\n", path, strerror(errno));
    return false;
}

/* The user did not wait until there was something to check. */
static int check_nothing(const char *subject, const struct settings *settings)
{
    struct explorer_stats stats = {.cut = CUT_INTERRUPTED};
    struct report report;
    struct arena arena;
    int status;

    CHECK(arena_open(&arena, ARENA_RESERVE) == 0, "out of memory");
    report_open(&report, &arena, subject, settings);
    report_set_stats(&report, &stats, 0);
    status = report_finish(&report);
    arena_close(&arena);
    return status;
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
    else if (interrupt_asked())
        status = check_nothing(source, settings);
    if (status != EXIT_STATUS_BUG) { /* else a replay will want it */
        unlink(program);
        rmdir(directory);
    }
    return status;
}
