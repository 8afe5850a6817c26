// _Exit: No handler runs.
#include "conform.h"

static void handler(void)
{
    say("handler");
}

static void program(void)
{
    NUM(atexit(handler));
    conform_done();
    _Exit(0);
}
