#include "runtime/program/constructors.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "runtime/core/kernel.h"
#include "runtime/program/native.h"

#define CONSTRUCTORS 65536 /* that can be kept for the runs */
#define REFUSED      16

typedef void constructor(int, char **, char **);

uint32_t constructors_inside; /* outlives a run: before the first */

static struct {
    constructor *kept[CONSTRUCTORS];
    uint32_t kept_count;
    bool keeps; /* they belong to the runs */
    bool knows; /* whether that is so */
    int argc;
    char **argv;
    char **environment;
    const char *refused[REFUSED];
    uint32_t refused_count;
} constructors; /* outlives a run: before the first */

static bool belongs_to_runs(void)
{
    if (!constructors.knows) {
        constructors.knows = true;
        constructors.keeps = getenv(SESSION_CONSTRUCTORS_VARIABLE) != NULL;
    }
    return constructors.keeps;
}

/* A library that is loaded by a run comes too late for both. */
INTERPOSE void __raddle_constructor(constructor *function, int argc, char **argv,
                                    char **environment)
{
    if (native.started) {
        function(argc, argv, environment);
        return;
    }
    constructors.argc = argc;
    constructors.argv = argv;
    constructors.environment = environment;
    if (belongs_to_runs()) {
        CHECK(constructors.kept_count < CONSTRUCTORS, "more than %u constructors", CONSTRUCTORS);
        constructors.kept[constructors.kept_count++] = function;
        return;
    }
    constructors_inside++;
    function(argc, argv, environment);
    constructors_inside--;
}

void constructors_run(void)
{
    for (uint32_t i = 0; i < constructors.kept_count; i++)
        constructors.kept[i](constructors.argc, constructors.argv, constructors.environment);
}

/* The same process, as whoever waits for it or debugs it knows it. */
void constructors_start_anew(void)
{
    static char self[PATH_MAX]; /* outlives a run: before the first */
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    constructors_inside = 0;
    if (length > 0 && setenv(SESSION_CONSTRUCTORS_VARIABLE, "1", 1) == 0)
        syscall(SYS_execve, self, constructors.argv, environ);
    fprintf(stderr, "raddle: the program cannot be started again for its constructors: %s\n",
            strerror(errno));
    kernel_exit(4);
}

/* ---- calls */

/* What these leave behind is in memory. Initialised objects, keys, their values in the main
 * thread and handlers of atexit are kept for each run. */
static const char *const harmless[] = {
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "cfree",
    "posix_memalign",
    "aligned_alloc",
    "memalign",
    "valloc",
    "malloc_usable_size",
    "atexit",
    "on_exit",
    "at_quick_exit",
    "__cxa_atexit",
    "__cxa_at_quick_exit",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__cxa_guard_abort",
    "pthread_self",
    "thrd_current",
    "pthread_key_create",
    "pthread_setspecific",
    "pthread_getspecific",
    "tss_create",
    "tss_set",
    "tss_get",
    "pthread_mutex_init",
    "pthread_cond_init",
    "pthread_rwlock_init",
    "pthread_spin_init",
    "pthread_barrier_init",
    "sem_init",
    "mtx_init",
    "cnd_init",
    "dlopen",
    "dlclose",
    "qsort",
    "qsort_r",
    "bsearch",
    "getrlimit",
    "getrlimit64",
    "uname",
};

void constructors_call(const char *name)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strcmp(name, harmless[i]) == 0)
            return;
    constructors_leave();
}

/* ---- libraries that raddle did not compile */

void constructors_refuse(const char *name)
{
    if (!native.started && constructors.refused_count < REFUSED)
        constructors.refused[constructors.refused_count++] = name;
}

void constructors_tell(void)
{
    for (uint32_t i = 0; i < constructors.refused_count; i++)
        native_unsupported(constructors.refused[i]);
}
