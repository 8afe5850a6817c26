// Waiting until a time. Nobody signals: it always times out, and the mutex is held again.
#include "conform.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *tries(void *argument)
{
    CODE(pthread_mutex_trylock(&mutex));
    return argument;
}

static void waits(pthread_cond_t *cond, clockid_t clock)
{
    struct timespec past = {.tv_sec = 1}, wrong = {.tv_nsec = 1000000000}, negative = {.tv_nsec = -1};
    struct timespec soon = from_now(clock, 20), after;

    CODE(pthread_cond_timedwait(cond, &mutex, &past));
    in_thread(tries, NULL);
    CODE(pthread_cond_timedwait(cond, &mutex, &wrong));
    CODE(pthread_cond_timedwait(cond, &mutex, &negative));
    in_thread(tries, NULL);
    CODE(pthread_cond_timedwait(cond, &mutex, &soon));
    clock_gettime(clock, &after);
    NUM(nanoseconds(&after) >= nanoseconds(&soon));
    NUM(nanoseconds(&after) < nanoseconds(&soon) + 1000000000);
    CODE(pthread_cond_clockwait(cond, &mutex, CLOCK_MONOTONIC, &past));
    CODE(pthread_cond_clockwait(cond, &mutex, CLOCK_REALTIME, &past));
    CODE(pthread_cond_clockwait(cond, &mutex, CLOCK_REALTIME, &wrong));
    CODE(pthread_cond_clockwait(cond, &mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
    in_thread(tries, NULL);
}

static void program(void)
{
    pthread_cond_t cond;
    pthread_condattr_t attributes;

    CODE(pthread_mutex_lock(&mutex));
    CODE(pthread_cond_init(&cond, NULL));
    waits(&cond, CLOCK_REALTIME);
    CODE(pthread_cond_destroy(&cond));
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    CODE(pthread_cond_init(&cond, &attributes));
    waits(&cond, CLOCK_MONOTONIC);
    CODE(pthread_cond_destroy(&cond));
    CODE(pthread_mutex_unlock(&mutex));
}
