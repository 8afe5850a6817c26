// Mutexes with priorities.
#include "conform.h"

static void program(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int ceiling = -1, old = -1;

    CODE(pthread_mutex_getprioceiling(&mutex, &ceiling));
    CODE(pthread_mutex_setprioceiling(&mutex, 5, &old));
    pthread_mutexattr_init(&attributes);
    CODE(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
    CODE(pthread_mutex_init(&mutex, &attributes));
    CODE(pthread_mutex_lock(&mutex));
    CODE(pthread_mutex_trylock(&mutex));
    CODE(pthread_mutex_unlock(&mutex));
    CODE(pthread_mutex_destroy(&mutex));
    CODE(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT));
    CODE(pthread_mutexattr_setprioceiling(&attributes, 10));
    CODE(pthread_mutex_init(&mutex, &attributes));
    CODE(pthread_mutex_getprioceiling(&mutex, &ceiling));
    NUM(ceiling);
    CODE(pthread_mutex_destroy(&mutex));
}
