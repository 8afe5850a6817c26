// main ends by pthread_exit: the other threads go on, and when they all have ended the handlers run.
#include "conform.h"

static void handler(void)
{
    say("handler");
    conform_done();
}

static void *ends_last(void *argument)
{
    CODE(pthread_join(*(pthread_t *)argument, NULL));
    say("the other is gone");
    return NULL;
}

static void *goes_on(void *argument)
{
    static pthread_t own;
    pthread_t last;

    CODE(pthread_join(*(pthread_t *)argument, NULL));
    say("main is gone");
    own = pthread_self();
    pthread_create(&last, NULL, ends_last, &own);
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
