// errx ends the program as exit does, without the error.
#include "conform.h"
#include <err.h>

static void handler(void)
{
    say("handler");
    conform_done();
}

static void program(void)
{
    atexit(handler);
    errx(0, "%s", "why");
}
