// Priority protocols of mutexes: accepted, and told back.
#include "conform.h"

static void program(void)
{
    pthread_mutex_t mutex;
    pthread_mutexattr_t attributes;
    int told = -1;

    CODE(pthread_mutexattr_init(&attributes));
    CODE(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
    CODE(pthread_mutexattr_getprotocol(&attributes, &told));
    NUM(told == PTHREAD_PRIO_INHERIT);
    CODE(pthread_mutex_init(&mutex, &attributes));
    CODE(pthread_mutex_getprioceiling(&mutex, &told));
    CODE(pthread_mutex_setprioceiling(&mutex, 5, &told));
    CODE(pthread_mutex_lock(&mutex));
    CODE(pthread_mutex_unlock(&mutex));
    CODE(pthread_mutex_destroy(&mutex));
    CODE(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT));
    CODE(pthread_mutexattr_setprioceiling(&attributes, 7));
    CODE(pthread_mutex_init(&mutex, &attributes));
    CODE(pthread_mutex_getprioceiling(&mutex, &told));
    NUM(told);
    CODE(pthread_mutex_destroy(&mutex));
}
