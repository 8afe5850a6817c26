// err ends the program as exit does, with the error.
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
    err(0, "%s", "why");
}
