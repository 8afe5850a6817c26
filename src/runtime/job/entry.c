#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "base/check.h"
#include "runtime/files/files.h"
#include "runtime/core/heap.h"
#include "runtime/core/image.h"
#include "runtime/core/kernel.h"
#include "runtime/library/library.h"
#include "runtime/program/native.h"
#include "runtime/core/state.h"

/* How the program starts: under a driver, its main is run by the engine; by itself, it starts a driver. */

#ifndef RADDLE_PRIVATE_TO_BIN
#define RADDLE_PRIVATE_TO_BIN "../../bin" /* cmake/places.cmake knows better */
#endif

#define OUTPUT_BUFFER ((size_t)1 << 20)

static char output_buffer[OUTPUT_BUFFER];

/* Libraries that are not seen, too: what they keep points into a heap that starts afresh. */
static bool belongs_to_image(void *context, const char *name, const struct dl_phdr_info *info)
{
    (void)context;
    (void)info;
    return !image_is_sanitizer(name);
}

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
static _Noreturn void become_driver(int argc, char **argv)
{
    static char driver[PATH_MAX + 32], self[PATH_MAX], options[4096];
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

static bool refuse(struct session *session)
{
    session->message = native_text(strerror(errno));
    session->phase = SESSION_REFUSED;
    return false;
}

/* libc loads the unwinder when it first needs it, which may be on a program thread that is cancelled in one of libc's functions: what that
 * allocates must outlive the execution. */
static void unwinder_load(void)
{
    void *frame;

    backtrace(&frame, 1);
}

static bool program_save(struct session *session)
{
    /* who steps through a program wants to see each line that it writes */
    int buffering = session->for_debugger ? _IOLBF : _IOFBF;

    if (session->for_debugger)
        image_untracked();
    /* What libraries leave out while there is but one thread of the system, such as atomic counts of references, threads of
     * ours need. Set for good: at the first thread it would be a page to put back in every run. */
    __libc_single_threaded = 0;
    files_open();
    unwinder_load();
    if (setvbuf(stdout, output_buffer, buffering, sizeof output_buffer) != 0 ||
        heap_snapshot() != 0 || image_add_modules(belongs_to_image, NULL) != 0 ||
        files_add_arguments(native.argc, native.argv) != 0)
        return refuse(session);
    exit_handlers_save();
    signals_open();
    streams_prepare();
    if (state_save() != 0 || image_save() != 0)
        return refuse(session);
    state_fd_reserve(session->log_fd);
    files_saved();
    return true;
}

static int run_under_engine(int argc, char **argv, char **environment)
{
    struct session *session = session_attach();
    static int (*const jobs[])(void) = {[SESSION_EXPLORE] = native_explore,
                                        [SESSION_REPLAY] = native_replay,
                                        [SESSION_RESUME] = native_resume_search,
                                        [SESSION_MINIMISE] = native_minimise};

    if (!session)
        become_driver(argc, argv);
    native.argc = argc;
    native.argv = argv;
    native.environment = environment;
    if (session->debugged_name)
        argv[0] = (char *)session->debugged_name;
    native_open(session);
    if (!program_save(session))
        kernel_exit(4);
    if (session->for_debugger)
        native_debug_open();
    native.started = true;
    jobs[session->job]();
    if (session->for_debugger)
        native_debug_end();
    if (session->job == SESSION_REPLAY)
        fflush(NULL);
    files_made_restart();
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
