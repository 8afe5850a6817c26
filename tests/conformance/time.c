// Clocks go on, and agree with sleeping.
#include "conform.h"
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>

static void goes_on(clockid_t clock, const char *name)
{
    struct timespec first, second, resolution = {.tv_sec = 9};

    if (clock_gettime(clock, &first) != 0 || clock_gettime(clock, &second) != 0)
        say("%s: %s", name, error_name(errno));
    else
        say("%s goes on: %d", name, nanoseconds(&second) >= nanoseconds(&first));
    SYS(clock_getres(clock, &resolution));
    NUM(resolution.tv_sec);
}

static int64_t now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return nanoseconds(&time);
}

static void sleeps(void)
{
    struct timespec ten = {.tv_nsec = 10000000}, left = {.tv_sec = 9}, wrong = {.tv_nsec = -1};
    int64_t start = now(CLOCK_MONOTONIC);

    SYS(nanosleep(&ten, &left));
    NUM(now(CLOCK_MONOTONIC) - start >= 10000000);
    SYS(nanosleep(&wrong, NULL));
    SYS(nanosleep(&ten, NULL));
    NUM(now(CLOCK_MONOTONIC) - start >= 20000000);
    SYS(usleep(10000));
    NUM(now(CLOCK_MONOTONIC) - start >= 30000000);
    NUM(sleep(0));
    CODE(clock_nanosleep(CLOCK_MONOTONIC, 0, &ten, NULL));
    NUM(now(CLOCK_MONOTONIC) - start >= 40000000);
    NUM(thrd_sleep(&ten, NULL));
    NUM(now(CLOCK_MONOTONIC) - start >= 50000000);
}

static void program(void)
{
    struct timespec time_now, base;
    struct timeval value;
    struct tms used;
    time_t seconds, stored = 0;

    goes_on(CLOCK_REALTIME, "CLOCK_REALTIME");
    goes_on(CLOCK_MONOTONIC, "CLOCK_MONOTONIC");
    goes_on(CLOCK_PROCESS_CPUTIME_ID, "CLOCK_PROCESS_CPUTIME_ID");
    goes_on(CLOCK_THREAD_CPUTIME_ID, "CLOCK_THREAD_CPUTIME_ID");
    SYS(gettimeofday(&value, NULL));
    NUM(value.tv_usec >= 0 && value.tv_usec < 1000000);
    seconds = time(&stored);
    NUM(seconds == stored);
    clock_gettime(CLOCK_REALTIME, &time_now);
    NUM(time_now.tv_sec - seconds <= 1);
    NUM(time_now.tv_sec - value.tv_sec <= 1);
    NUM(timespec_get(&base, TIME_UTC) == TIME_UTC);
    NUM(base.tv_sec - seconds <= 1);
    NUM(clock() != (clock_t)-1);
    NUM(clock() <= clock());
    DONE(times(&used));
    sleeps();
}
