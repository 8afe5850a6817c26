// A reader-writer lock asked for by its own writer, until wrong times, on wrong clocks.
#include "conform.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *wrong_times(void *argument)
{
    struct timespec past = {.tv_sec = 1}, wrong = {.tv_nsec = 1000000000}, negative = {.tv_nsec = -1};

    CODE(pthread_rwlock_timedwrlock(&lock, &wrong));
    CODE(pthread_rwlock_timedrdlock(&lock, &wrong));
    CODE(pthread_rwlock_timedwrlock(&lock, &negative));
    CODE(pthread_rwlock_clockrdlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &past));
    CODE(pthread_rwlock_clockwrlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &past));
    return argument;
}

static void *waits(void *argument)
{
    struct timespec soon = from_now(CLOCK_REALTIME, 20), after;

    CODE(pthread_rwlock_timedrdlock(&lock, &soon));
    clock_gettime(CLOCK_REALTIME, &after);
    NUM(nanoseconds(&after) >= nanoseconds(&soon));
    soon = from_now(CLOCK_MONOTONIC, 20);
    CODE(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &soon));
    clock_gettime(CLOCK_MONOTONIC, &after);
    NUM(nanoseconds(&after) >= nanoseconds(&soon));
    return argument;
}

static void program(void)
{
    struct timespec past = {.tv_sec = 1};

    CODE(pthread_rwlock_wrlock(&lock));
    CODE(pthread_rwlock_rdlock(&lock));
    CODE(pthread_rwlock_wrlock(&lock));
    CODE(pthread_rwlock_timedrdlock(&lock, &past));
    CODE(pthread_rwlock_timedwrlock(&lock, &past));
    in_thread(wrong_times, NULL);
    in_thread(waits, NULL);
    CODE(pthread_rwlock_unlock(&lock));
    in_thread(wrong_times, NULL);
}
