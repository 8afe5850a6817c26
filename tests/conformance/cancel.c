// Cancelling a thread: when it acts, what runs then, what joining gives.
#include "conform.h"
#include <semaphore.h>

static sem_t ready, go;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;

static void cleanup(void *argument)
{
    say("cleanup %ld", (long)argument);
}

static void unlock(void *argument)
{
    CODE(pthread_mutex_unlock(argument));
}

static void destroy(void *value)
{
    say("key %ld", (long)value);
}

static void *waits(void *argument)
{
    pthread_setspecific(key, (void *)9);
    pthread_cleanup_push(cleanup, (void *)1);
    pthread_cleanup_push(cleanup, (void *)2);
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    sem_post(&ready);
    for (;;)
        pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return argument;
}

static void *states(void *argument)
{
    int old = -1;

    CODE(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
    NUM(old == PTHREAD_CANCEL_ENABLE);
    CODE(pthread_setcancelstate(77, &old));
    CODE(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
    NUM(old == PTHREAD_CANCEL_DEFERRED);
    CODE(pthread_setcanceltype(77, &old));
    sem_post(&ready);
    sem_wait(&go);
    pthread_testcancel();
    say("still here");
    CODE(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
    say("and here");
    pthread_testcancel();
    say("not here");
    return argument;
}

static void *pops(void *argument)
{
    pthread_cleanup_push(cleanup, (void *)3);
    pthread_cleanup_push(cleanup, (void *)4);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(0);
    pthread_cleanup_push(cleanup, (void *)5);
    pthread_exit(argument); /* runs it */
    pthread_cleanup_pop(0);
    return NULL;
}

static void *itself(void *argument)
{
    CODE(pthread_cancel(pthread_self()));
    say("deferred");
    pthread_testcancel();
    return argument;
}

static void *ends(void *argument)
{
    return argument;
}

static void program(void)
{
    pthread_t thread;
    void *result = NULL;

    sem_init(&ready, 0, 0);
    sem_init(&go, 0, 0);
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, waits, NULL);
    sem_wait(&ready);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    NUM(result == PTHREAD_CANCELED);
    CODE(pthread_mutex_trylock(&mutex)); /* the cleanup has given it back */
    pthread_create(&thread, NULL, states, NULL);
    sem_wait(&ready);
    CODE(pthread_cancel(thread));
    sem_post(&go);
    pthread_join(thread, &result);
    NUM(result == PTHREAD_CANCELED);
    NUM((long)in_thread(pops, (void *)6));
    NUM(in_thread(itself, NULL) == PTHREAD_CANCELED);
    pthread_create(&thread, NULL, ends, (void *)7);
    CODE(pthread_cancel(thread));
    CODE(pthread_join(thread, NULL));
}
