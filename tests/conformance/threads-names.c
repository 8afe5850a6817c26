// Names, priorities and processors of threads: told back, and refused if wrong.
#include "conform.h"
#include <sched.h>

static void program(void)
{
    struct sched_param param = {.sched_priority = 0};
    int policy = -1;
    cpu_set_t set;
    char name[16] = "";

    CODE(pthread_setname_np(pthread_self(), "worker"));
    CODE(pthread_setname_np(pthread_self(), "a name of more than 15"));
    CODE(pthread_getname_np(pthread_self(), name, 3));
    CODE(pthread_getname_np(pthread_self(), name, sizeof name));
    TEXT(name);
    CODE(pthread_getschedparam(pthread_self(), &policy, &param));
    NUM(policy == SCHED_OTHER);
    NUM(param.sched_priority);
    CODE(pthread_setschedparam(pthread_self(), SCHED_OTHER, &param));
    CODE(pthread_setschedprio(pthread_self(), 0));
    param.sched_priority = 50;
    CODE(pthread_setschedparam(pthread_self(), SCHED_OTHER, &param));
    CODE(pthread_getaffinity_np(pthread_self(), sizeof set, &set));
    NUM(CPU_COUNT(&set) > 0);
    CODE(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
    CPU_ZERO(&set);
    CODE(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
}
