// A normal mutex: lock, trylock, unlock.
#include "conform.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *tries(void *argument)
{
    if (CODE(pthread_mutex_trylock(&mutex)) == 0)
        CODE(pthread_mutex_unlock(&mutex));
    return argument;
}

static void *counts(void *counter)
{
    pthread_mutex_lock(&mutex);
    ++*(int *)counter;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void program(void)
{
    pthread_mutexattr_t attributes;
    pthread_t a, b;
    int kind = -1, counter = 0;

    in_thread(tries, NULL);
    CODE(pthread_mutex_lock(&mutex));
    in_thread(tries, NULL);
    CODE(pthread_mutex_trylock(&mutex));
    CODE(pthread_mutex_unlock(&mutex));
    CODE(pthread_mutex_destroy(&mutex));
    CODE(pthread_mutexattr_init(&attributes));
    CODE(pthread_mutexattr_gettype(&attributes, &kind));
    NUM(kind == PTHREAD_MUTEX_DEFAULT);
    CODE(pthread_mutexattr_settype(&attributes, 99));
    CODE(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_NORMAL));
    CODE(pthread_mutex_init(&mutex, &attributes));
    CODE(pthread_mutexattr_destroy(&attributes));
    CODE(pthread_create(&a, NULL, counts, &counter));
    CODE(pthread_create(&b, NULL, counts, &counter));
    CODE(pthread_join(a, NULL));
    CODE(pthread_join(b, NULL));
    NUM(counter);
    CODE(pthread_mutex_destroy(&mutex));
    CODE(pthread_mutex_init(&mutex, NULL));
    in_thread(tries, NULL);
    CODE(pthread_mutex_destroy(&mutex));
}
