// verrx ends the program as exit does, without the error, arguments as a list.
#include "conform.h"
#include <err.h>

static void handler(void)
{
    say("handler");
    conform_done();
}

static void ends(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    verrx(0, format, list);
}

static void program(void)
{
    atexit(handler);
    ends("%s", "why");
}
