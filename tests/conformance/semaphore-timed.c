// Waiting for a semaphore until a time.
#include "conform.h"
#include <semaphore.h>

static void program(void)
{
    struct timespec past = {.tv_sec = 1}, wrong = {.tv_nsec = 1000000000}, negative = {.tv_nsec = -1};
    struct timespec soon, after;
    sem_t sem;

    SYS(sem_init(&sem, 0, 2));
    SYS(sem_timedwait(&sem, &past));
    SYS(sem_clockwait(&sem, CLOCK_MONOTONIC, &past));
    SYS(sem_timedwait(&sem, &past));
    SYS(sem_timedwait(&sem, &wrong));
    SYS(sem_timedwait(&sem, &negative));
    SYS(sem_clockwait(&sem, CLOCK_MONOTONIC, &past));
    SYS(sem_clockwait(&sem, CLOCK_REALTIME, &wrong));
    SYS(sem_clockwait(&sem, CLOCK_PROCESS_CPUTIME_ID, &past));
    soon = from_now(CLOCK_REALTIME, 20);
    SYS(sem_timedwait(&sem, &soon));
    clock_gettime(CLOCK_REALTIME, &after);
    NUM(nanoseconds(&after) >= nanoseconds(&soon));
    SYS(sem_post(&sem));
    soon = from_now(CLOCK_MONOTONIC, 1000);
    SYS(sem_clockwait(&sem, CLOCK_MONOTONIC, &soon));
    SYS(sem_destroy(&sem));
}
