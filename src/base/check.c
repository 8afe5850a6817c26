#include "base/check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void (*context_print)(void *context, FILE *out); /* outlives a run: set once */
static void *context_data;                              /* outlives a run: the same */

void check_set_context(void (*print)(void *context, FILE *out), void *context)
{
    context_print = print;
    context_data = context;
}

void check_fail(const char *file, int line, const char *condition, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "raddle: internal error at %s:%d: ", file, line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, " (%s)\n", condition);
    if (context_print) {
        void (*print)(void *, FILE *) = context_print;

        context_print = NULL; /* a CHECK that fails while printing must not come back here */
        print(context_data, stderr);
    }
    fprintf(stderr, "raddle: this is a bug in raddle, not in the program under test.\n");
    fflush(NULL);
    syscall(SYS_exit_group, EXIT_RADDLE_IS_WRONG); /* _Exit may be the tested program's */
    abort();
}
