// A robust mutex whose owner is gone says so; made consistent it goes on, else it never can be taken again.
#include "conform.h"

static pthread_mutex_t mutex;

static void *dies(void *argument)
{
    CODE(pthread_mutex_lock(&mutex));
    return argument;
}

static void *tries(void *argument)
{
    CODE(pthread_mutex_trylock(&mutex));
    return argument;
}

static void program(void)
{
    pthread_mutexattr_t attributes;
    struct timespec past = {.tv_sec = 1};
    int robust = -1;

    pthread_mutexattr_init(&attributes);
    CODE(pthread_mutexattr_getrobust(&attributes, &robust));
    NUM(robust == PTHREAD_MUTEX_STALLED);
    CODE(pthread_mutexattr_setrobust(&attributes, 9));
    CODE(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
    CODE(pthread_mutex_init(&mutex, &attributes));
    CODE(pthread_mutex_consistent(&mutex));
    in_thread(dies, NULL);
    CODE(pthread_mutex_lock(&mutex));
    in_thread(tries, NULL);
    CODE(pthread_mutex_consistent(&mutex));
    CODE(pthread_mutex_consistent(&mutex));
    CODE(pthread_mutex_unlock(&mutex));
    in_thread(dies, NULL);
    CODE(pthread_mutex_trylock(&mutex));
    CODE(pthread_mutex_consistent(&mutex));
    CODE(pthread_mutex_unlock(&mutex));
    in_thread(dies, NULL);
    CODE(pthread_mutex_timedlock(&mutex, &past));
    CODE(pthread_mutex_unlock(&mutex)); /* without making it consistent */
    CODE(pthread_mutex_lock(&mutex));
    CODE(pthread_mutex_lock(&mutex));
    CODE(pthread_mutex_trylock(&mutex)); /* after it, glibc 2.36 says EBUSY to others, against POSIX */
    CODE(pthread_mutex_consistent(&mutex));
    CODE(pthread_mutex_destroy(&mutex));
}
