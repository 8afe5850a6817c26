// A reader-writer lock: who gets it beside whom.
#include "conform.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *tries(void *argument)
{
    struct timespec past = {.tv_sec = 1};

    if (CODE(pthread_rwlock_tryrdlock(&lock)) == 0)
        CODE(pthread_rwlock_unlock(&lock));
    if (CODE(pthread_rwlock_trywrlock(&lock)) == 0)
        CODE(pthread_rwlock_unlock(&lock));
    if (CODE(pthread_rwlock_timedrdlock(&lock, &past)) == 0)
        CODE(pthread_rwlock_unlock(&lock));
    if (CODE(pthread_rwlock_timedwrlock(&lock, &past)) == 0)
        CODE(pthread_rwlock_unlock(&lock));
    if (CODE(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past)) == 0)
        CODE(pthread_rwlock_unlock(&lock));
    if (CODE(pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &past)) == 0)
        CODE(pthread_rwlock_unlock(&lock));
    return argument;
}

static void program(void)
{
    pthread_rwlockattr_t attributes;
    struct timespec past = {.tv_sec = 1};

    in_thread(tries, NULL);
    CODE(pthread_rwlock_rdlock(&lock));
    in_thread(tries, NULL);
    CODE(pthread_rwlock_rdlock(&lock));
    CODE(pthread_rwlock_tryrdlock(&lock));
    CODE(pthread_rwlock_trywrlock(&lock));
    CODE(pthread_rwlock_timedwrlock(&lock, &past));
    for (int i = 0; i < 3; i++)
        CODE(pthread_rwlock_unlock(&lock));
    CODE(pthread_rwlock_wrlock(&lock));
    in_thread(tries, NULL);
    CODE(pthread_rwlock_tryrdlock(&lock));
    CODE(pthread_rwlock_trywrlock(&lock));
    CODE(pthread_rwlock_unlock(&lock));
    CODE(pthread_rwlock_destroy(&lock));
    CODE(pthread_rwlockattr_init(&attributes));
    CODE(pthread_rwlock_init(&lock, &attributes));
    CODE(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past));
    CODE(pthread_rwlock_unlock(&lock));
    CODE(pthread_rwlock_destroy(&lock));
}
