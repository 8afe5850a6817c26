// Attributes of threads: detached ones, sizes and priorities.
#include "conform.h"
#include <limits.h>
#include <sched.h>
#include <semaphore.h>

static sem_t go;

static void *waits(void *argument)
{
    sem_wait(&go);
    return argument;
}

static void program(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int state;
    size_t size;
    struct sched_param param = {0};

    sem_init(&go, 0, 0);
    CODE(pthread_attr_init(&attributes));
    CODE(pthread_attr_getdetachstate(&attributes, &state));
    NUM(state == PTHREAD_CREATE_JOINABLE);
    CODE(pthread_attr_setdetachstate(&attributes, 77));
    CODE(pthread_attr_setstacksize(&attributes, 1));
    CODE(pthread_attr_setstacksize(&attributes, 1 << 20));
    CODE(pthread_attr_getstacksize(&attributes, &size));
    NUM(size);
    CODE(pthread_attr_setschedparam(&attributes, &param));
    CODE(pthread_create(&thread, &attributes, waits, &state));
    sem_post(&go);
    CODE(pthread_join(thread, NULL));
    CODE(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED));
    CODE(pthread_create(&thread, &attributes, waits, NULL));
    sem_post(&go);
    CODE(pthread_attr_destroy(&attributes));
}
