// The end: handlers run in the opposite order, also those set by handlers.
#include "conform.h"

int __cxa_atexit(void (*)(void *), void *, void *);

static void last(void)
{
    say("last");
    conform_done();
}

static void late(void)
{
    say("late");
}

static void first(void)
{
    say("first");
    NUM(atexit(late));
}

static void taking(void *argument)
{
    say("taking %ld", (long)argument);
}

static void told(int status, void *argument)
{
    say("told %d %ld", status, (long)argument);
}

static void *exits(void *argument)
{
    exit((int)(long)argument);
}

static void program(void)
{
    NUM(atexit(last));
    NUM(__cxa_atexit(taking, (void *)5, NULL));
    NUM(on_exit(told, (void *)6));
    NUM(atexit(first));
    in_thread(exits, (void *)0);
    say("not reached");
}
