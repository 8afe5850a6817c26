// Clocks and sleeps that are asked wrongly; sleeping until a time; time goes on from thread to thread.
#include "conform.h"
#include <sys/time.h>
#include <threads.h>

static int64_t now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return nanoseconds(&time);
}

static void *in_order(void *before)
{
    NUM(now(CLOCK_MONOTONIC) >= *(int64_t *)before);
    sleep(0);
    usleep(10000);
    *(int64_t *)before = now(CLOCK_MONOTONIC);
    return NULL;
}

static void wrong_calls(void)
{
    struct timespec ten = {.tv_nsec = 10000000}, wrong = {.tv_nsec = -1}, large = {.tv_nsec = 1000000000};
    struct timespec before = {.tv_sec = -1}, time;

    SYS(clock_gettime(99, &time));
    SYS(clock_getres(99, NULL));
    NUM(timespec_get(&time, 77));
    SYS(nanosleep(&large, NULL));
    SYS(nanosleep(&before, NULL));
    CODE(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wrong, NULL));
    CODE(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, NULL));
    CODE(clock_nanosleep(99, 0, &ten, NULL));
    CODE(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &ten, NULL));
    NUM(thrd_sleep(&wrong, NULL));
}

static void program(void)
{
    int64_t before = now(CLOCK_MONOTONIC);
    struct timespec until;

    wrong_calls();
    until = from_now(CLOCK_MONOTONIC, 10);
    CODE(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL));
    NUM(now(CLOCK_MONOTONIC) >= nanoseconds(&until));
    CODE(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL)); /* past */
    until = from_now(CLOCK_REALTIME, 10);
    CODE(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL));
    NUM(now(CLOCK_REALTIME) >= nanoseconds(&until));
    in_thread(in_order, &before);
    NUM(now(CLOCK_MONOTONIC) >= before); /* the end of the thread comes before */
}
