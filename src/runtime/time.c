#include "runtime/time.h"

#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "runtime/kernel.h"
#include "runtime/native.h"

#define TIME_START 1000000000 /* seconds: any number that never changes */
#define TIME_LOOK  1000       /* nanoseconds */
#define SECOND     1000000000u

bool time_can_wait(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

bool time_is_valid(const struct timespec *time)
{
    return time->tv_nsec >= 0 && time->tv_nsec < (long)SECOND;
}

void time_reach(uint64_t time)
{
    if (native.current && native.current->time < time)
        native.current->time = time;
}

int time_out(clockid_t clock, const struct timespec *until)
{
    (void)clock;
    if (!time_is_valid(until))
        return EINVAL;
    if (until->tv_sec >= TIME_START)
        time_reach((uint64_t)(until->tv_sec - TIME_START) * SECOND + (uint64_t)until->tv_nsec);
    return ETIMEDOUT;
}

static uint64_t time_now(void)
{
    if (!native.current)
        return 0;
    native.current->time += TIME_LOOK;
    spin_forget();
    return native.current->time;
}

INTERPOSE int clock_gettime(clockid_t clock, struct timespec *time)
{
    uint64_t now = time_now();

    if (!native.current) /* the engine asks */
        return (int)syscall(SYS_clock_gettime, clock, time);
    time->tv_sec = (time_t)(TIME_START + now / 1000000000);
    time->tv_nsec = (long)(now % 1000000000);
    return 0;
}

INTERPOSE int timespec_get(struct timespec *time, int base)
{
    clock_gettime(CLOCK_REALTIME, time);
    return base;
}

INTERPOSE int gettimeofday(struct timeval *time, void *zone)
{
    uint64_t now = time_now();

    (void)zone;
    time->tv_sec = (time_t)(TIME_START + now / 1000000000);
    time->tv_usec = (suseconds_t)(now % 1000000000 / 1000);
    return 0;
}

INTERPOSE time_t time(time_t *out)
{
    time_t now = (time_t)(TIME_START + time_now() / 1000000000);

    if (out)
        *out = now;
    return now;
}

INTERPOSE clock_t clock(void)
{
    return (clock_t)(time_now() / (1000000000 / CLOCKS_PER_SEC));
}

static void sleep_for(uint64_t nanoseconds)
{
    struct op op = native_op(OP_YIELD, NULL);

    if (!native.current)
        return;
    native.current->time += nanoseconds;
    native_ask(&op);
}

INTERPOSE unsigned sleep(unsigned seconds)
{
    sleep_for((uint64_t)seconds * 1000000000);
    return 0;
}

INTERPOSE int usleep(useconds_t microseconds)
{
    sleep_for((uint64_t)microseconds * 1000);
    return 0;
}

INTERPOSE int nanosleep(const struct timespec *time, struct timespec *left)
{
    if (time->tv_nsec < 0 || time->tv_nsec >= 1000000000 || time->tv_sec < 0) {
        errno = EINVAL;
        return -1;
    }
    sleep_for((uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec);
    if (left)
        memset(left, 0, sizeof *left);
    return 0;
}

INTERPOSE int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                              struct timespec *left)
{
    (void)clock;
    if (flags == TIMER_ABSTIME) {
        sleep_for(0);
        return 0;
    }
    return nanosleep(time, left) == 0 ? 0 : errno;
}

INTERPOSE int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    return nanosleep(time, left);
}
