#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explore/session.h"
#include "plain/plain.h"
#include "runtime/hooks.h"

/* How the program starts: as it is, or, if RADDLE_OPTIONS is set, by becoming `raddle check` of itself. */

#ifndef RADDLE_PRIVATE_TO_BIN
#define RADDLE_PRIVATE_TO_BIN "../../bin" /* cmake/places.cmake knows better */
#endif

#define OPTIONS_VARIABLE "RADDLE_OPTIONS"
#define STATUS_FAILED    4 /* the environment failed, as of raddle itself */

static _Noreturn void give_up(const char *what, const char *why)
{
    fprintf(stderr, "raddle: %s%s\n", what, why);
    _exit(STATUS_FAILED);
}

/* The driver next to this library, or where an installation has it. */
static bool driver_find(char *path, size_t size)
{
    static const char *const places[] = {"/raddle", "/" RADDLE_PRIVATE_TO_BIN "/raddle"};
    Dl_info info;
    char *slash;
    size_t length;

    if (!dladdr((void *)&__raddle_quick, &info) || !realpath(info.dli_fname, path))
        return false;
    slash = strrchr(path, '/');
    if (!slash)
        return false;
    length = (size_t)(slash - path);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path + length, size - length, "%s", places[i]);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static _Noreturn void driver_become(const char *variable, int argc, char **argv)
{
    char driver[PATH_MAX + 32], self[PATH_MAX];
    char *options = strdup(variable);
    size_t words_max = strlen(variable) / 2 + 1;
    char **arguments = malloc(((size_t)argc + words_max + 5) * sizeof *arguments);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    size_t count = 0;

    if (!options || !arguments || length < 0 || !driver_find(driver, sizeof driver))
        give_up("this program was built by raddle cc, but raddle itself is not to be found next to "
                "libraddle.so",
                "");
    self[length] = '\0';
    arguments[count++] = driver;
    arguments[count++] = (char *)"check";
    for (char *word = strtok(options, " \t\n"); word; word = strtok(NULL, " \t\n"))
        arguments[count++] = word;
    arguments[count++] = self;
    arguments[count++] = (char *)"--";
    for (int i = 1; i < argc; i++)
        arguments[count++] = argv[i];
    arguments[count] = NULL;
    execv(driver, arguments);
    give_up(driver, ": cannot be run");
}

/* Comes before all constructors of the program, which needs this library. */
__attribute__((constructor)) static void start(int argc, char **argv)
{
    const char *variable = getenv(OPTIONS_VARIABLE);

    if (getenv(SESSION_FD_VARIABLE))
        give_up("the program is to be checked, but has found the libraddle.so for plain runs: was "
                "it linked with an old-style rpath?",
                "");
    if (variable)
        driver_become(variable, argc, argv);
}
