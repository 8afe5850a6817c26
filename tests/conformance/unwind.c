// CFLAGS: -fexceptions
// Cleanup handlers of C that is compiled with exceptions: unwinding calls them.
#include "conform.h"

#define pthread_cleanup_scope pthread_cleanup_push

static void handler(void *argument)
{
    say("handler %ld", (long)argument);
}

static __attribute__((noinline)) void inner(void *argument)
{
    pthread_cleanup_scope(handler, (void *)2);
    pthread_exit(argument);
    pthread_cleanup_pop(0);
}

static void *exits(void *argument)
{
    pthread_cleanup_scope(handler, (void *)1);
    inner(argument);
    pthread_cleanup_pop(0);
    return NULL;
}

static void program(void)
{
    pthread_t thread;
    void *returned;

    assert(pthread_create(&thread, NULL, exits, (void *)9) == 0);
    CODE(pthread_join(thread, &returned));
    NUM((long)returned);
}
