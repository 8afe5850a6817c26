// A cancellation that waits does not act at these calls.
#include "cancel-points.h"

static void not_mutex(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_trylock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void not_sem(void)
{
    sem_post(&one);
    sem_trywait(&one);
}

static void not_signal(void)
{
    pthread_cond_signal(&cond);
    pthread_cond_broadcast(&cond);
}

static void not_self(void)
{
    pthread_setspecific(0, NULL);
    sched_yield();
}

static void program(void)
{
    points_open();
    TRY(not_mutex);
    TRY(not_sem);
    TRY(not_signal);
    TRY(not_self);
}
