// EXPECT: incomplete
// NAMES: atexit pthread_exit
// main ends by pthread_exit: the other threads go on, and the last one would run the handlers.
#include "conform.h"

static void handler(void)
{
    say("handler");
    conform_done();
}

static void *goes_on(void *argument)
{
    CODE(pthread_join(*(pthread_t *)argument, NULL));
    say("main is gone");
    return NULL;
}

static void program(void)
{
    static pthread_t main_thread;
    pthread_t thread;

    atexit(handler);
    main_thread = pthread_self();
    pthread_create(&thread, NULL, goes_on, &main_thread);
    pthread_exit(NULL);
}
