// A recursive mutex counts; others get it when the last lock is gone.
#include "conform.h"

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void *other(void *argument)
{
    if (CODE(pthread_mutex_trylock(&mutex)) == 0)
        CODE(pthread_mutex_unlock(&mutex));
    else
        CODE(pthread_mutex_unlock(&mutex));
    return argument;
}

static void uses(void)
{
    struct timespec past = {.tv_sec = 1};

    CODE(pthread_mutex_unlock(&mutex));
    CODE(pthread_mutex_lock(&mutex));
    CODE(pthread_mutex_lock(&mutex));
    CODE(pthread_mutex_trylock(&mutex));
    CODE(pthread_mutex_timedlock(&mutex, &past));
    for (int i = 0; i < 4; i++) {
        in_thread(other, NULL);
        CODE(pthread_mutex_unlock(&mutex));
    }
    in_thread(other, NULL);
    CODE(pthread_mutex_unlock(&mutex));
}

static void program(void)
{
    pthread_mutexattr_t attributes;

    uses();
    CODE(pthread_mutex_destroy(&mutex));
    pthread_mutexattr_init(&attributes);
    CODE(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE));
    CODE(pthread_mutex_init(&mutex, &attributes));
    uses();
    CODE(pthread_mutex_destroy(&mutex));
}
