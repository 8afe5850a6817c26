#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "runtime/core/image.h"
#include "runtime/hooks/plain.h"
#include "runtime/library/state.h"

/* Variables of libc that a program may use directly. Those that it does not even name nobody can race with. */

static struct variable {
    const char *name;
    enum library_cell cell;
    uint8_t size;
    bool asked; /* functions of libc only read it */
    void *at;   /* NULL: the program does not use it */
} variables[] = {
    /* outlives a run: the program does not change */
    {"environ", ENVIRONMENT, 8, false, NULL},
    {"_environ", ENVIRONMENT, 8, false, NULL},
    {"__environ", ENVIRONMENT, 8, false, NULL},
    {"optarg", GETOPT, 8, false, NULL},
    {"optind", GETOPT, 4, false, NULL},
    {"optopt", GETOPT, 4, false, NULL},
    {"opterr", GETOPT, 4, true, NULL},
    {"tzname", TIMEZONE, 16, false, NULL},
    {"__tzname", TIMEZONE, 16, false, NULL},
    {"timezone", TIMEZONE, 8, false, NULL},
    {"__timezone", TIMEZONE, 8, false, NULL},
    {"daylight", TIMEZONE, 4, false, NULL},
    {"__daylight", TIMEZONE, 4, false, NULL},
    {"signgam", GAMMA, 4, false, NULL},
    {"__signgam", GAMMA, 4, false, NULL},
    {"error_message_count", ERROR, 4, false, NULL},
    {"error_one_per_line", ERROR, 4, true, NULL},
    {"error_print_progname", ERROR, 8, true, NULL},
    {"program_invocation_name", NAME, 8, true, NULL},
    {"program_invocation_short_name", NAME, 8, true, NULL},
    {"__progname", NAME, 8, true, NULL},
    {"_nl_msg_cat_cntr", GETTEXT, 4, false, NULL},
    {"_nl_msg_cat_cntr", LOCALE, 4, false, NULL},
    {"stdin", STANDARD, 8, true, NULL},
    {"stdout", STANDARD, 8, true, NULL},
    {"stderr", STANDARD, 8, true, NULL},
};

static bool used[LIBRARY_CELL_COUNT]; /* one of its variables; outlives a run */

void library_variables_open(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        if (!image_names(variables[i].name))
            continue;
        variables[i].at = dlsym(RTLD_DEFAULT, variables[i].name);
        used[variables[i].cell] |= variables[i].at != NULL;
    }
}

/* Two functions that take the lock do not race, and each does with the program. */
static void locked_use(const struct variable *variable)
{
    if (native.detects && !native.current->sections)
        detect_atomic(detector.thread, (uint64_t)(uintptr_t)variable->at, variable->size,
                      !variable->asked);
    else
        native_touches(&(struct native_range){variable->at, variable->size, !variable->asked}, 1);
}

void library_variables_use(enum library_cell cell, enum library_how how)
{
    if (native.alone || !used[cell])
        return;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const struct variable *variable = &variables[i];

        if (variable->cell != cell || !variable->at)
            continue;
        if (how == LIBRARY_SETS_LOCKED)
            locked_use(variable);
        else
            native_touches(&(struct native_range){variable->at, variable->size,
                                                  how == LIBRARY_SETS && !variable->asked},
                           1);
    }
}

/* ---- what `environ` points to */

static bool is_named(const char *text, const char *name, size_t length)
{
    return strncmp(text, name, length) == 0 && text[length] == '=';
}

/* Who asks for a name, or adds one, reads the elements up to it; who sets it again writes its element; who takes it away moves the rest. */
void library_environment_use(const struct library_call *call, bool sets)
{
    const char *name = library_pointer(call, 0);
    size_t length = name ? strcspn(name, "=") : 0, found = 0, count;
    char **at = environ;

    if (native.alone || !name || !at)
        return;
    while (at[found] && !is_named(at[found], name, length))
        found++;
    for (count = found; at[count];)
        count++;
    native_reads(at, (found + 1) * sizeof *at);
    if (sets && found < count)
        native_writes(at + found,
                      (strcmp(call->row->name, "unsetenv") == 0 ? count - found + 1 : 1) *
                          sizeof *at);
}
