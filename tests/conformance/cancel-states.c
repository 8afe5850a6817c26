// A thread that is cancelled before it comes to its cancellation point; what may be set, and to what.
#include "conform.h"

static pthread_barrier_t asked;

static void handler(void *argument)
{
    say("handler %ld", (long)argument);
}

static void *victim(void *argument)
{
    int old = -1;

    CODE(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
    NUM(old == PTHREAD_CANCEL_ENABLE);
    CODE(pthread_setcancelstate(77, NULL));
    CODE(pthread_setcanceltype(77, NULL));
    CODE(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
    NUM(old == PTHREAD_CANCEL_DEFERRED);
    pthread_barrier_wait(&asked);
    pthread_barrier_wait(&asked);
    pthread_testcancel();
    pthread_cleanup_push(handler, (void *)1);
    pthread_cleanup_push(handler, (void *)2);
    pthread_cleanup_push(handler, (void *)3);
    pthread_cleanup_pop(1);
    CODE(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
    say("enabled");
    pthread_testcancel();
    say("never");
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return argument;
}

static void *exits(void *argument)
{
    pthread_cleanup_push(handler, (void *)4);
    pthread_cleanup_push_defer_np(handler, (void *)5);
    pthread_exit(argument);
    pthread_cleanup_pop_restore_np(0);
    pthread_cleanup_pop(0);
}

static void program(void)
{
    pthread_t thread;
    void *returned;

    CODE(pthread_barrier_init(&asked, NULL, 2));
    assert(pthread_create(&thread, NULL, victim, NULL) == 0); /* from here on one of them speaks at a time */
    pthread_barrier_wait(&asked);
    CODE(pthread_cancel(thread));
    pthread_barrier_wait(&asked);
    CODE(pthread_join(thread, &returned));
    NUM(returned == PTHREAD_CANCELED);
    assert(pthread_create(&thread, NULL, exits, (void *)9) == 0);
    CODE(pthread_join(thread, &returned));
    NUM((long)returned);
}
