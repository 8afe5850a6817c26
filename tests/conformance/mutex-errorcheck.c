// An errorcheck mutex says what was wrong.
#include "conform.h"

static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void *other(void *argument)
{
    CODE(pthread_mutex_unlock(&mutex));
    CODE(pthread_mutex_trylock(&mutex));
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
    CODE(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past));
    in_thread(other, NULL);
    CODE(pthread_mutex_unlock(&mutex));
    CODE(pthread_mutex_unlock(&mutex));
}

static void program(void)
{
    pthread_mutexattr_t attributes;

    uses();
    CODE(pthread_mutex_destroy(&mutex));
    pthread_mutexattr_init(&attributes);
    CODE(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK));
    CODE(pthread_mutex_init(&mutex, &attributes));
    uses();
    CODE(pthread_mutex_destroy(&mutex));
}
