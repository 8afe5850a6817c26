// Waiting on a condition with a mutex that the thread does not hold: those that check who holds them say so.
#include "conform.h"

static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, robust;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *waits(void *argument)
{
    struct timespec past = {.tv_sec = 1};
    pthread_mutex_t *mutex = argument;

    CODE(pthread_cond_wait(&cond, mutex));
    CODE(pthread_cond_timedwait(&cond, mutex, &past));
    CODE(pthread_cond_clockwait(&cond, mutex, CLOCK_MONOTONIC, &past));
    CODE(pthread_mutex_trylock(mutex));
    return NULL;
}

static void with(pthread_mutex_t *mutex)
{
    struct timespec past = {.tv_sec = 1};

    CODE(pthread_cond_wait(&cond, mutex)); /* nobody holds it */
    CODE(pthread_mutex_lock(mutex));
    in_thread(waits, mutex);
    CODE(pthread_cond_timedwait(&cond, mutex, &past));
    CODE(pthread_mutex_unlock(mutex));
    CODE(pthread_mutex_destroy(mutex));
}

static void program(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    with(&checking);
    with(&robust);
}
