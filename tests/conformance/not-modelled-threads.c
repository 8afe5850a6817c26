// EXPECT: incomplete
// NAMES: pthread_clockjoin_np pthread_getaffinity_np pthread_getattr_np pthread_getcpuclockid pthread_getschedparam pthread_setschedprio
// Calls about threads that are not modelled: each is named.
#include "conform.h"
#include <sched.h>
#include <signal.h>

static void program(void)
{
    pthread_t self = pthread_self();
    struct timespec past = {.tv_sec = 1};
    cpu_set_t set;
    pthread_attr_t attributes;
    clockid_t clock;
    int policy;
    struct sched_param param;

    assert(pthread_clockjoin_np(self, NULL, CLOCK_MONOTONIC, &past) != 0);
    assert(pthread_getaffinity_np(self, sizeof set, &set) != 0);
    assert(pthread_getattr_np(self, &attributes) != 0 && pthread_getcpuclockid(self, &clock) != 0);
    assert(pthread_getschedparam(self, &policy, &param) != 0 && pthread_setschedprio(self, 0) != 0);
}
