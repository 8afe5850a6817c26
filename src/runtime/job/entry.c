#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/core/kernel.h"
#include "runtime/gate/gate.h"
#include "runtime/job/job.h"
#include "runtime/program/debug.h"
#include "runtime/program/native.h"

/* How the program starts: under a driver, its main is run by the engine; by itself, it starts a driver. */

#ifndef RADDLE_PRIVATE_TO_BIN
#define RADDLE_PRIVATE_TO_BIN "../../bin" /* cmake/places.cmake knows better */
#endif

static struct session *session_attach(void)
{
    const char *variable = getenv(SESSION_FD_VARIABLE);
    struct session *session;
    void *at;
    int fd;

    if (!variable)
        return NULL;
    fd = atoi(variable);
    at = mmap(SESSION_ADDRESS, SESSION_RESERVE, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, fd, 0);
    if (at != SESSION_ADDRESS) {
        fprintf(stderr, "raddle: the memory of the search cannot be mapped: %s\n", strerror(errno));
        kernel_exit(4);
    }
    session = at;
    if (session->magic != SESSION_MAGIC || session->version != SESSION_VERSION) {
        fprintf(stderr, "raddle: libraddle.so and raddle are of different versions\n");
        kernel_exit(4);
    }
    /* a debugger may start the program again: each time the session must be as the driver made it */
    if (session->for_debugger)
        at = mmap(SESSION_ADDRESS, SESSION_RESERVE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0);
    if (at != SESSION_ADDRESS) {
        fprintf(stderr, "raddle: the memory of the replay cannot be mapped: %s\n", strerror(errno));
        kernel_exit(4);
    }
    kernel_close(fd);
    unsetenv(SESSION_FD_VARIABLE);
    unsetenv(SESSION_CONSTRUCTORS_VARIABLE);
    return session;
}

/* The driver next to this library, or where an installation has it. */
static bool driver_find(char *path, size_t size)
{
    static const char *const places[] = {"/raddle", "/" RADDLE_PRIVATE_TO_BIN "/raddle"};
    Dl_info info;
    char *slash;
    size_t length;

    if (!dladdr((void *)&native, &info) || !realpath(info.dli_fname, path))
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

#define WORDS_MAX 64

/* Started without a driver: becomes one, with the options that RADDLE_OPTIONS holds, as sanitizers have it. */
void native_become_driver(int argc, char **argv)
{
    char driver[PATH_MAX + 32], self[PATH_MAX], options[4096];
    char **arguments = malloc(((size_t)argc + WORDS_MAX + 4) * sizeof *arguments);
    const char *variable = getenv("RADDLE_OPTIONS");
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    int count = 0;

    if (!arguments || length < 0 || !driver_find(driver, sizeof driver)) {
        fprintf(stderr,
                "raddle: this program was built by raddle cc, but raddle itself is not to be "
                "found next to libraddle.so\n");
        kernel_exit(4);
    }
    self[length] = '\0';
    arguments[count++] = driver;
    arguments[count++] = (char *)"check";
    snprintf(options, sizeof options, "%s", variable ? variable : "");
    for (char *word = strtok(options, " "); word && count < WORDS_MAX; word = strtok(NULL, " "))
        arguments[count++] = word;
    arguments[count++] = self;
    arguments[count++] = (char *)"--";
    for (int i = 1; i < argc; i++)
        arguments[count++] = argv[i];
    arguments[count] = NULL;
    execv(driver, arguments);
    fprintf(stderr, "raddle: %s: %s\n", driver, strerror(errno));
    kernel_exit(4);
}

static int run_under_engine(int argc, char **argv, char **environment)
{
    int error = errno;
    struct session *session = session_attach();
    static int (*const jobs[])(void) = {[SESSION_EXPLORE] = native_explore,
                                        [SESSION_REPLAY] = native_replay,
                                        [SESSION_RESUME] = native_resume_search,
                                        [SESSION_MINIMISE] = native_minimise};

    if (!session)
        native_become_driver(argc, argv);
    native.argc = argc;
    native.argv = argv;
    native.environment = environment;
    if (session->debugged_name)
        argv[0] = (char *)session->debugged_name;
    native_open(session);
    if (!start_save(session, error)) {
        session->message = native_text(strerror(errno));
        session->phase = SESSION_REFUSED;
        kernel_exit(4);
    }
    if (session->for_debugger)
        native_debug_open();
    native.started = true;
    if (!session->for_debugger) /* it would stop at each of its signals */
        gate_open();
    native.records = session->job != SESSION_EXPLORE && session->job != SESSION_RESUME;
    constructors_tell();
    jobs[session->job]();
    if (session->for_debugger)
        native_debug_end();
    if (session->job == SESSION_REPLAY)
        fflush(NULL);
    gate_restart();
    kernel_exit(0);
}

typedef int start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                       void (*)(void), void *);

__attribute__((visibility("default"))) int
__libc_start_main(int (*program_main)(int, char **, char **), int argc, char **argv,
                  void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    start_main *real = (start_main *)dlsym(RTLD_NEXT, "__libc_start_main");

    native.main = program_main;
    return real(run_under_engine, argc, argv, init, fini, rtld_fini, stack_end);
}
