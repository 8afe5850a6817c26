// Nobody signals; a timed wait is no deadlock. A timed lock of a mutex that is held for ever neither.
// EXPECT(all): safe executions=1
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t sem;

static void *thread(void *_)
{
    struct timespec until = {.tv_sec = 2000000000};

    pthread_mutex_lock(&m);
    assert(pthread_cond_timedwait(&c, &m, &until) == ETIMEDOUT);
    assert(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&m);
    assert(pthread_mutex_timedlock(&held, &until) == ETIMEDOUT);
    assert(sem_timedwait(&sem, &until) == -1 && errno == ETIMEDOUT);
    return NULL;
}

int main(void)
{
    sem_init(&sem, 0, 0);
    pthread_mutex_lock(&held);
    run(1, thread);
    return 0;
}
