// A barrier: one of the threads, and no more, is told that it is the one; it can be used again.
#include "conform.h"

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int serial, zero, other;

static void *waits(void *argument)
{
    for (int i = 0; i < 2; i++) {
        int result = pthread_barrier_wait(&barrier);

        pthread_mutex_lock(&mutex);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD)
            serial++;
        else if (result == 0)
            zero++;
        else
            other++;
        pthread_mutex_unlock(&mutex);
    }
    return argument;
}

static void program(void)
{
    pthread_t thread;
    pthread_barrierattr_t attributes;

    CODE(pthread_barrier_init(&barrier, NULL, 0));
    CODE(pthread_barrier_init(&barrier, NULL, 1));
    NUM(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    CODE(pthread_barrier_destroy(&barrier));
    CODE(pthread_barrierattr_init(&attributes));
    CODE(pthread_barrier_init(&barrier, &attributes, 2));
    pthread_create(&thread, NULL, waits, NULL);
    waits(NULL);
    pthread_join(thread, NULL);
    NUM(serial);
    NUM(zero);
    NUM(other);
    CODE(pthread_barrier_destroy(&barrier));
}
