#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/program/native.h"

/* Functions that print a message and end the process. libc's would call an exit that nobody can interpose. */

INTERPOSE _Noreturn void verr(int status, const char *format, va_list arguments)
{
    vwarn(format, arguments);
    exit(status);
}

INTERPOSE _Noreturn void verrx(int status, const char *format, va_list arguments)
{
    vwarnx(format, arguments);
    exit(status);
}

INTERPOSE _Noreturn void err(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    verr(status, format, arguments);
}

INTERPOSE _Noreturn void errx(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    verrx(status, format, arguments);
}

/* What stands behind the name of the program, and the end, if `status` says so. */
static void message_end(int status, int error, const char *format, va_list arguments)
{
    vfprintf(stderr, format, arguments);
    if (error)
        fprintf(stderr, ": %s", strerror(error));
    fputc('\n', stderr);
    fflush(stderr);
    error_message_count++;
    if (status)
        exit(status);
}

static void message_start(void)
{
    fflush(stdout);
    if (error_print_progname)
        error_print_progname();
    else
        fprintf(stderr, "%s:", program_invocation_name);
}

INTERPOSE void error(int status, int number, const char *format, ...)
{
    va_list arguments;

    message_start();
    fputc(' ', stderr);
    va_start(arguments, format);
    message_end(status, number, format, arguments);
    va_end(arguments);
}

/* error_one_per_line is not heeded: one message more is all that it changes. */
INTERPOSE void error_at_line(int status, int number, const char *file, unsigned line,
                             const char *format, ...)
{
    va_list arguments;

    message_start();
    if (file)
        fprintf(stderr, "%s:%u: ", file, line);
    else
        fputc(' ', stderr);
    va_start(arguments, format);
    message_end(status, number, format, arguments);
    va_end(arguments);
}
