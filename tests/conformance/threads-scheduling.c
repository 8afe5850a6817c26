// Priorities and processors of threads: accepted.
#include "conform.h"
#include <sched.h>

static void *thread(void *argument)
{
    NUM(sched_yield());
    return argument;
}

static void program(void)
{
    struct sched_param param = {.sched_priority = 0};
    cpu_set_t set;

    NUM(sched_yield());
    in_thread(thread, NULL);
    CODE(pthread_setschedparam(pthread_self(), SCHED_OTHER, &param));
    NUM(sched_getaffinity(0, sizeof set, &set) >= 0);
    NUM(CPU_COUNT(&set) > 0);
    CODE(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
    SYS(sched_getparam(0, &param));
    NUM(param.sched_priority);
    NUM(sched_get_priority_min(SCHED_FIFO));
    NUM(sched_get_priority_max(SCHED_FIFO));
    NUM(sched_getscheduler(0) == SCHED_OTHER);
}
