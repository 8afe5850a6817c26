// Waiting for a condition, and being woken.
#include "conform.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn;

static void *waits(void *argument)
{
    long mine = (long)argument;

    pthread_mutex_lock(&mutex);
    while (turn != mine)
        pthread_cond_wait(&cond, &mutex);
    say("turn of %ld", mine);
    turn++;
    CODE(pthread_cond_broadcast(&cond));
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *signals(void *argument)
{
    pthread_mutex_lock(&mutex);
    turn = 10;
    CODE(pthread_cond_signal(&cond));
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void program(void)
{
    pthread_condattr_t attributes;
    clockid_t clock = -1;
    pthread_t a, b;

    CODE(pthread_cond_signal(&cond)); /* nobody waits: lost */
    CODE(pthread_cond_broadcast(&cond));
    pthread_create(&a, NULL, waits, (void *)1);
    pthread_create(&b, NULL, waits, (void *)0);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    NUM(turn);
    CODE(pthread_cond_destroy(&cond));
    CODE(pthread_condattr_init(&attributes));
    CODE(pthread_condattr_getclock(&attributes, &clock));
    NUM(clock == CLOCK_REALTIME);
    CODE(pthread_condattr_setclock(&attributes, CLOCK_PROCESS_CPUTIME_ID));
    CODE(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
    CODE(pthread_cond_init(&cond, &attributes));
    CODE(pthread_condattr_destroy(&attributes));
    CODE(pthread_mutex_lock(&mutex));
    pthread_create(&a, NULL, signals, NULL); /* gets the mutex when we wait */
    while (turn != 10)
        CODE(pthread_cond_wait(&cond, &mutex));
    CODE(pthread_mutex_unlock(&mutex));
    pthread_join(a, NULL);
    CODE(pthread_cond_destroy(&cond));
}
