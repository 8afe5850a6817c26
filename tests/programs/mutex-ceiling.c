// A thread whose priority is above the ceiling of a mutex cannot lock it; to change the ceiling is to hold the mutex.
// EXPECT: safe executions=2
#include "common.h"
#include <errno.h>

static pthread_mutex_t mutex;
static int held;

static void *changes(void *argument)
{
    int old = 0;

    assert(pthread_mutex_setprioceiling(&mutex, 30, &old) == 0);
    assert(old == 10);
    return argument;
}

static void *locks(void *argument)
{
    int ceiling = 0;

    assert(pthread_mutex_lock(&mutex) == 0);
    held++;
    assert(pthread_mutex_getprioceiling(&mutex, &ceiling) == 0);
    assert(ceiling == 10 || ceiling == 30);
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void)
{
    struct sched_param high = {.sched_priority = 20};
    struct timespec past = {.tv_sec = 1};
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
    pthread_mutexattr_setprioceiling(&attributes, 10);
    assert(pthread_mutex_init(&mutex, &attributes) == 0);
    run2(changes, locks);
    assert(pthread_setschedparam(pthread_self(), SCHED_FIFO, &high) == 0);
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    high.sched_priority = 31;
    assert(pthread_setschedparam(pthread_self(), SCHED_FIFO, &high) == 0);
    assert(pthread_mutex_lock(&mutex) == EINVAL);
    assert(pthread_mutex_trylock(&mutex) == EINVAL);
    assert(pthread_mutex_timedlock(&mutex, &past) == EINVAL);
    assert(held == 1);
    return 0;
}
