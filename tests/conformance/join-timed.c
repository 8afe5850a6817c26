// Joining without waiting, or until a time.
#include "conform.h"
#include <semaphore.h>

static sem_t go;

static void *waits(void *argument)
{
    sem_wait(&go);
    return argument;
}

static void program(void)
{
    struct timespec past = {.tv_sec = 1}, soon, after;
    pthread_t thread;
    void *result = NULL;
    int code;

    sem_init(&go, 0, 0);
    pthread_create(&thread, NULL, waits, (void *)4);
    CODE(pthread_tryjoin_np(thread, &result));
    CODE(pthread_timedjoin_np(thread, &result, &past));
    CODE(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &past));
    soon = from_now(CLOCK_REALTIME, 20);
    CODE(pthread_timedjoin_np(thread, &result, &soon));
    clock_gettime(CLOCK_REALTIME, &after);
    NUM(nanoseconds(&after) >= nanoseconds(&soon));
    CODE(pthread_tryjoin_np(pthread_self(), NULL));
    CODE(pthread_timedjoin_np(pthread_self(), NULL, &past));
    sem_post(&go);
    while ((code = pthread_tryjoin_np(thread, &result)) == EBUSY)
        sched_yield();
    NUM(code);
    NUM((long)result);
    pthread_create(&thread, NULL, waits, (void *)5);
    sem_post(&go);
    CODE(pthread_timedjoin_np(thread, &result, NULL)); /* for as long as it takes */
    NUM((long)result);
    pthread_create(&thread, NULL, waits, (void *)6);
    sem_post(&go);
    CODE(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, NULL));
    NUM((long)result);
    pthread_create(&thread, NULL, waits, NULL);
    CODE(pthread_detach(thread)); /* joining it now is undefined */
    sem_post(&go);
}
