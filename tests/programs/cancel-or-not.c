// A request meets a wake-up: both ends are possible, and found. A thread that does not let itself be cancelled is not.
// EXPECT(sc -DNEVER_CANCELLED): assertion at=cancelled
// EXPECT(sc -DALWAYS_CANCELLED): assertion at=woken
// EXPECT(sc): safe
// EXPECT(sc -DSEM -DNEVER_CANCELLED): assertion at=cancelled
// EXPECT(sc -DSEM -DALWAYS_CANCELLED): assertion at=woken
// EXPECT(sc -DSEM): safe
// EXPECT(sc -DDISABLED): safe
// EXPECT(sc -DEXIT): safe
#include "common.h"
#include <errno.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int ready, handled;

static void handler(void *_)
{
    handled++;
#ifndef SEM
    pthread_mutex_unlock(&m);
#endif
}

static void *victim(void *_)
{
#ifdef DISABLED
    int old;

    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
    assert(pthread_setcancelstate(77, NULL) == EINVAL);
    assert(pthread_setcanceltype(77, NULL) == EINVAL);
#endif
#ifdef SEM
    pthread_cleanup_push(handler, NULL);
    sem_wait(&sem);
    pthread_cleanup_pop(0);
#else
    pthread_mutex_lock(&m);
    pthread_cleanup_push(handler, NULL);
    while (!ready)
        pthread_cond_wait(&c, &m);
#ifdef EXIT
    pthread_exit((void *)5);
#endif
    pthread_cleanup_pop(1);
#endif
    return NULL;
}

int main(void)
{
    pthread_t t;
    void *returned;

    sem_init(&sem, 0, 0);
    pthread_create(&t, NULL, victim, NULL);
#ifndef EXIT
    pthread_cancel(t);
#endif
#ifdef SEM
    sem_post(&sem);
#else
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
#endif
    pthread_join(t, &returned);
#if defined DISABLED
    assert(returned == NULL && handled == 1);
#elif defined EXIT
    assert(returned == (void *)5 && handled == 1);
#elif defined NEVER_CANCELLED
    assert(returned != PTHREAD_CANCELED); /* cancelled */
#elif defined ALWAYS_CANCELLED
    assert(returned == PTHREAD_CANCELED); /* woken */
#else
    assert(returned == PTHREAD_CANCELED ? handled == 1 : returned == NULL);
#endif
    return 0;
}
