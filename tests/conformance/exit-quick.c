// quick_exit: Handlers of at_quick_exit run, those of atexit do not.
#include "conform.h"

int __cxa_at_quick_exit(void (*)(void *), void *);

static void quick(void)
{
    say("quick handler");
    conform_done();
}

static void taking(void *argument)
{
    say("taking");
}

static void handler(void)
{
    say("handler");
}

static void program(void)
{
    NUM(atexit(handler));
    NUM(at_quick_exit(quick));
    NUM(__cxa_at_quick_exit(taking, NULL));
    quick_exit(0);
}
