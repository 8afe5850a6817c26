// Locking until a time: a time that is past, a wrong time, a wrong clock.
#include "conform.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *argument)
{
    struct timespec past = {.tv_sec = 1}, wrong = {.tv_sec = 1, .tv_nsec = 1000000000};
    struct timespec negative = {.tv_sec = 1, .tv_nsec = -1}, before = {.tv_sec = -1};
    struct timespec soon = from_now(CLOCK_REALTIME, 20), after;

    CODE(pthread_mutex_timedlock(&mutex, &past));
    CODE(pthread_mutex_timedlock(&mutex, &wrong));
    CODE(pthread_mutex_timedlock(&mutex, &negative));
    CODE(pthread_mutex_timedlock(&mutex, &before));
    CODE(pthread_mutex_timedlock(&mutex, &soon));
    clock_gettime(CLOCK_REALTIME, &after);
    NUM(nanoseconds(&after) >= nanoseconds(&soon));
    CODE(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &past));
    CODE(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past));
    CODE(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &wrong));
    CODE(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
    soon = from_now(CLOCK_MONOTONIC, 20);
    CODE(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon));
    clock_gettime(CLOCK_MONOTONIC, &after);
    NUM(nanoseconds(&after) >= nanoseconds(&soon));
    return argument;
}

static void program(void)
{
    struct timespec past = {.tv_sec = 1};

    CODE(pthread_mutex_timedlock(&mutex, &past));
    in_thread(other, NULL);
    CODE(pthread_mutex_unlock(&mutex));
    CODE(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past));
    CODE(pthread_mutex_unlock(&mutex));
}
