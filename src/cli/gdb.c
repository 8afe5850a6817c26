#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "cli/native.h"
#include "cli/places.h"

/* `raddle replay --gdb`: becomes gdb, which starts the program, as often as its user likes. */

/* What gdb does before the user's own commands. `pipe … | cat >/dev/null` keeps it from telling. */
static const char *const preparation[] = {
    "set disable-randomization off", /* it is off already; gdb may not be allowed to ask */
    "set print thread-events off",
    "set breakpoint pending on",
    /* the thread that has the bug calls this where it has it */
    "pipe break __raddle_bug | cat >/dev/null",
    /* step goes over what stands between the lines of the program */
    "pipe skip -gfi */src/runtime/*/*.c | cat >/dev/null",
    "pipe skip -rfu ^__raddle_ | cat >/dev/null",
};

/* gdb sets these for the program, where nobody else did. */
static const char *const screen[] = {"LINES", "COLUMNS"};

struct command {
    char **at;
    size_t count;
};

static void add(struct command *command, const char *word)
{
    command->at = realloc(command->at, (command->count + 2) * sizeof *command->at);
    CHECK(command->at, "out of memory");
    command->at[command->count++] = (char *)word;
    command->at[command->count] = NULL;
}

static void add_command(struct command *command, const char *text)
{
    add(command, "-ex");
    add(command, text);
}

/* Whether every shell takes the arguments as they are. Then the program can be started without one, and sees the environment
 * that it would see without gdb. */
static bool are_plain(char *const *argv)
{
    for (; *argv; argv++)
        if (**argv == '\0' ||
            (*argv)[strspn(*argv, "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%")])
            return false;
    return true;
}

/* The script that comes along, as a command of gdb, or NULL if it is not there: then stacks have frames of the runtime in them. */
static char *script_command(void)
{
    struct places places;
    char *command = NULL;

    if (!places_find(&places))
        return NULL;
    CHECK(asprintf(&command, "source %s/raddle_gdb.py", places.libraries) > 0, "out of memory");
    if (access(command + strlen("source "), R_OK) == 0)
        return command;
    free(command);
    return NULL;
}

static void tell(const struct native_case *found)
{
    const struct session_site *site = &found->bug.site;

    fprintf(stderr, "raddle: %s", bug_kind_names[found->bug.kind]);
    if (site->file)
        fprintf(stderr, " at %s:%" PRIu32, site->file, site->line);
    fprintf(stderr,
            ", thread T%" PRIu32 ". `run` follows the recorded schedule and stops at the bug;\n"
            "raddle: `threads` lists the threads, `T%" PRIu32 "` selects that one,\n"
            "raddle: `bt` shows its stack without raddle's own frames",
            found->bug.thread, found->bug.thread);
    if (site->file)
        fprintf(stderr, ", `break %s:%" PRIu32 "` stops whenever one comes there", site->file,
                site->line);
    fprintf(stderr, "\n");
}

static session_text text_copy(struct session *session, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;

    return text ? memcpy(arena_alloc(&session->arena, size), text, size) : NULL;
}

static void session_fill(struct session *session, const struct native_case *found, const char *name)
{
    session->for_debugger = true;
    session->debugged_name = text_copy(session, name);
    session->debugged = (struct session_bug){.kind = found->bug.kind,
                                             .thread = found->bug.thread,
                                             .message = text_copy(session, found->bug.message),
                                             .detail = text_copy(session, found->bug.detail)};
}

int native_debug(const char *program, char *const *argv, const struct settings *settings,
                 const struct native_case *found, char *const *arguments)
{
    struct driver driver = {.fd = -1};
    struct command command = {0};
    char *script;

    if (!driver_open(&driver, settings))
        return EXIT_STATUS_ENVIRONMENT;
    native_schedule_give(driver.session, found, SESSION_REPLAY);
    session_fill(driver.session, found, argv[0]);
    add(&command, "gdb");
    add(&command, "-q");
    for (size_t i = 0; i < sizeof preparation / sizeof *preparation; i++)
        add_command(&command, preparation[i]);
    script = script_command();
    if (script)
        add_command(&command, script);
    for (size_t i = 0; i < sizeof screen / sizeof *screen; i++)
        if (!getenv(screen[i]))
            add_command(&command, i ? "unset environment COLUMNS" : "unset environment LINES");
    if (are_plain(argv + 1))
        add_command(&command, "set startup-with-shell off");
    for (; *arguments; arguments++)
        add(&command, *arguments);
    add(&command, "--args");
    add(&command, program);
    for (argv++; *argv; argv++)
        add(&command, *argv);
    tell(found);
    fflush(NULL);
    driver_pass_on(&driver);
    execvp("gdb", command.at);
    fprintf(stderr, "raddle: cannot run gdb: %s; install it (Debian: apt-get install gdb)\n",
            strerror(errno));
    free(command.at);
    free(script);
    return EXIT_STATUS_ENVIRONMENT;
}
