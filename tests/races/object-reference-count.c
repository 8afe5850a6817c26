// Who drops the last reference destroys the lock, right after another thread has given it back: POSIX allows that. Waiters and
// barriers likewise; a mutex that is set anew by assignment is made by that, not by its first use.
// EXPECT(all): safe
// EXPECT(all -DWAITER): safe
// EXPECT(all -DBARRIER): safe
// EXPECT(all -DPOST): safe
// EXPECT(all -DAGAIN): safe
// EXPECT(all -DBROADCAST): safe
// EXPECT(all -DBROADCAST -DNOT_DESTROYED): data-race
#include "races.h"
#include <semaphore.h>
#include <stdlib.h>

struct shared {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_barrier_t barrier;
    sem_t done;
    int references, ready;
};

static void leave(struct shared *s)
{
#if defined WAITER
    pthread_mutex_lock(&s->lock);
    if (s->references-- == 2) {
        while (!s->ready)
            pthread_cond_wait(&s->changed, &s->lock);
        pthread_mutex_unlock(&s->lock);
        pthread_cond_destroy(&s->changed);
        pthread_mutex_destroy(&s->lock);
        free(s);
    } else {
        s->ready = 1;
        pthread_cond_signal(&s->changed);
        pthread_mutex_unlock(&s->lock);
    }
#elif defined BARRIER
    if (pthread_barrier_wait(&s->barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(&s->barrier);
        free(s);
    }
#else
    int left;

    pthread_mutex_lock(&s->lock);
    left = --s->references;
    pthread_mutex_unlock(&s->lock);
    if (left)
        return;
    pthread_mutex_destroy(&s->lock);
    free(s);
#endif
}

static pthread_mutex_t outside = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *own;

static void *thread(void *argument)
{
#if defined BROADCAST
    struct shared *s = argument;

    pthread_mutex_lock(&outside);
    if (--s->references == 1)
        while (s->references == 1)
            pthread_cond_wait(own, &outside);
    pthread_mutex_unlock(&outside);
#elif defined POST
    sem_post(&((struct shared *)argument)->done);
#else
    leave(argument);
#endif
    return NULL;
}

int main(void)
{
    struct shared *s = calloc(1, sizeof *s);
    pthread_t t;

    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    pthread_barrier_init(&s->barrier, NULL, 2);
    sem_init(&s->done, 0, 0);
    s->references = 2;
    own = malloc(sizeof *own);
    pthread_cond_init(own, NULL);
#ifdef AGAIN
    pthread_mutex_destroy(&s->lock);
    s->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
#endif
    pthread_create(&t, NULL, thread, s);
#if defined BROADCAST
    while (pthread_mutex_lock(&outside), s->references == 2)
        pthread_mutex_unlock(&outside);
    s->references = 0;
    pthread_cond_broadcast(own);
    pthread_mutex_unlock(&outside);
#ifndef NOT_DESTROYED
    pthread_cond_destroy(own);
#endif
    free(own);
    pthread_join(t, NULL);
    return 0;
#elif defined POST
    sem_wait(&s->done);
    sem_destroy(&s->done);
    free(s);
#else
    leave(s);
#endif
    pthread_join(t, NULL);
    return 0;
}
