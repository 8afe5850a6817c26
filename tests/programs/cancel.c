// A thread is cancelled where it waits: its handlers run, newest first, with the mutex of a condition held again, then the
// destructors of its keys; whoever joins it gets PTHREAD_CANCELED.
// EXPECT(sc): safe
// EXPECT(sc -O2): safe
// EXPECT(sc -DSEM): safe
// EXPECT(sc -DSLEEP): safe
// EXPECT(sc -DJOIN): safe
// EXPECT(sc -DTEST): safe
// EXPECT(sc -DTIMED): safe
// EXPECT(sc -DFORGETS): deadlock says=held by T1 \([a-z_0-9]+\)
// EXPECT(tso): safe
// EXPECT(sc -fexceptions): safe
#include "common.h"
#include <errno.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static pthread_key_t key;
static int order;

static void unlock(void *_)
{
    assert(order++ == 1);
    assert(pthread_mutex_unlock(&m) == 0);
}

static void first(void *argument)
{
    assert(order++ == 0);
    assert(argument == &order);
}

static void destroyed(void *_)
{
    assert(order++ == 2);
}

static void wait(void)
{
#ifdef SEM
    sem_wait(&sem);
#elif defined SLEEP
    sleep(1);
#elif defined JOIN
    pthread_join((pthread_t)pthread_getspecific(key), NULL);
#elif defined TEST
    pthread_testcancel();
#elif defined TIMED
    struct timespec until = {2000000000, 0};

    if (pthread_cond_timedwait(&c, &m, &until) == ETIMEDOUT)
        return;
#else
    for (;;)
        pthread_cond_wait(&c, &m);
#endif
}

#ifdef JOIN
static void *sleeper(void *_)
{
    return NULL;
}
#endif

static void *victim(void *_)
{
    pthread_t other = 1;

#ifdef JOIN
    pthread_create(&other, NULL, sleeper, NULL);
#endif
    pthread_setspecific(key, (void *)other);
#ifdef FORGETS
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
#else
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, NULL);
    pthread_cleanup_push(first, &order);
    wait();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    pthread_mutex_unlock(&m);
    order = 2; /* for the destructor */
#endif
    return NULL;
}

int main(void)
{
    pthread_t t;
    void *returned;

    sem_init(&sem, 0, 0);
#ifdef FORGETS
    pthread_key_create(&key, NULL);
#else
    pthread_key_create(&key, destroyed);
#endif
    assert(pthread_create(&t, NULL, victim, NULL) == 0);
    assert(pthread_cancel(t) == 0);
#ifdef FORGETS
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#endif
    assert(pthread_join(t, &returned) == 0);
#if defined FORGETS
#elif defined SLEEP || defined TEST || defined TIMED || defined JOIN
    assert(returned == PTHREAD_CANCELED || returned == NULL);
#else
    assert(returned == PTHREAD_CANCELED);
#endif
#ifndef FORGETS
    assert(order == 3);
    assert(pthread_mutex_trylock(&m) == 0);
#endif
    return 0;
}
