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

/* How the program starts under a driver: its main is run by the engine. By itself it does not find this library (src/plain). */

/* The driver has put the directory of this library, `own` bytes with its colon, in front of what the user had there. */
static void library_path_restore(uint32_t own)
{
    char *path = getenv(SESSION_LIBRARY_VARIABLE);

    if (!path || strlen(path) < own)
        unsetenv(SESSION_LIBRARY_VARIABLE);
    else
        memmove(path, path + own, strlen(path + own) + 1);
}

static struct session *session_attach(void)
{
    const char *variable = getenv(SESSION_FD_VARIABLE);
    struct session *session;
    void *at;
    int fd;

    if (!variable) {
        fprintf(stderr, "raddle: libraddle.so for checking was loaded without `raddle check`\n");
        kernel_exit(4);
    }
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
    library_path_restore(session->library_path);
    return session;
}

/* Of the compiler's own library, and only in the build that counts (tools/profile.sh): the process ends without what atexit would do. */
int __llvm_profile_write_file(void) __attribute__((weak));

static int run_under_engine(int argc, char **argv, char **environment)
{
    int error = errno;
    struct session *session = session_attach();
    static int (*const jobs[])(void) = {[SESSION_EXPLORE] = native_explore,
                                        [SESSION_REPLAY] = native_replay,
                                        [SESSION_RESUME] = native_resume_search,
                                        [SESSION_MINIMISE] = native_minimise};

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
    if (__llvm_profile_write_file)
        __llvm_profile_write_file();
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
