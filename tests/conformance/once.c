// A routine that runs once, whoever calls first, and has run when any call comes back.
#include "conform.h"

static pthread_once_t once = PTHREAD_ONCE_INIT, second = PTHREAD_ONCE_INIT;
static int runs;

static void routine(void)
{
    runs++;
}

static void nested(void)
{
    CODE(pthread_once(&once, routine));
    say("nested");
}

static void *calls(void *argument)
{
    int code = pthread_once(&once, routine);

    assert(code == 0 && runs == 1);
    return argument;
}

static void program(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, calls, NULL);
    pthread_create(&b, NULL, calls, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    NUM(runs);
    CODE(pthread_once(&once, routine));
    CODE(pthread_once(&second, nested));
    CODE(pthread_once(&second, nested));
    NUM(runs);
}
