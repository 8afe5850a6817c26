// Attributes of threads and what they wait with: told back as they were set.
#define CONFORM_IN_THREAD
#include "conform.h"
#include <sched.h>

static pthread_attr_t attr;
static pthread_mutexattr_t mutexattr;
static pthread_condattr_t condattr;
static pthread_rwlockattr_t rwlockattr;
static pthread_barrierattr_t barrierattr;
static int value;


static void of_threads(void)
{
    struct sched_param param = {.sched_priority = 0};
    static char stack[1 << 16] __attribute__((aligned(4096)));
    void *low;
    size_t size;
    cpu_set_t set;

    CODE(pthread_attr_init(&attr));
    CODE(pthread_attr_setscope(&attr, PTHREAD_SCOPE_SYSTEM));
    CODE(pthread_attr_getscope(&attr, &value));
    CODE(pthread_attr_setscope(&attr, PTHREAD_SCOPE_PROCESS));
    CODE(pthread_attr_setschedpolicy(&attr, SCHED_RR));
    CODE(pthread_attr_getschedpolicy(&attr, &value));
    NUM(value == SCHED_RR);
    CODE(pthread_attr_setschedpolicy(&attr, SCHED_OTHER));
    CODE(pthread_attr_setschedparam(&attr, &param));
    CODE(pthread_attr_getschedparam(&attr, &param));
    CODE(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
    CODE(pthread_attr_getinheritsched(&attr, &value));
    NUM(value == PTHREAD_EXPLICIT_SCHED);
    CODE(pthread_attr_setguardsize(&attr, 8192));
    CODE(pthread_attr_getguardsize(&attr, &size));
    NUM(size);
    CODE(pthread_attr_setstack(&attr, stack, sizeof stack));
    CODE(pthread_attr_getstack(&attr, &low, &size));
    NUM(low == stack && size == sizeof stack);
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    NUM(CPU_COUNT(&set));
    CODE(pthread_attr_setaffinity_np(&attr, sizeof set, &set));
    CODE(pthread_attr_getaffinity_np(&attr, sizeof set, &set));
    NUM(CPU_COUNT(&set));
    CODE(pthread_attr_destroy(&attr));
}

static void of_mutexes(void)
{
    CODE(pthread_mutexattr_init(&mutexattr));
    CODE(pthread_mutexattr_settype(&mutexattr, PTHREAD_MUTEX_RECURSIVE));
    CODE(pthread_mutexattr_gettype(&mutexattr, &value));
    NUM(value == PTHREAD_MUTEX_RECURSIVE);
    CODE(pthread_mutexattr_setpshared(&mutexattr, PTHREAD_PROCESS_SHARED));
    CODE(pthread_mutexattr_getpshared(&mutexattr, &value));
    NUM(value == PTHREAD_PROCESS_SHARED);
    CODE(pthread_mutexattr_setrobust(&mutexattr, PTHREAD_MUTEX_ROBUST));
    CODE(pthread_mutexattr_getrobust(&mutexattr, &value));
    NUM(value == PTHREAD_MUTEX_ROBUST);
    CODE(pthread_mutexattr_setprotocol(&mutexattr, PTHREAD_PRIO_INHERIT));
    CODE(pthread_mutexattr_getprotocol(&mutexattr, &value));
    NUM(value == PTHREAD_PRIO_INHERIT);
    CODE(pthread_mutexattr_setprioceiling(&mutexattr, 5));
    CODE(pthread_mutexattr_getprioceiling(&mutexattr, &value));
    NUM(value);
    CODE(pthread_mutexattr_destroy(&mutexattr));
}

static void of_others(void)
{
    clockid_t clock;

    CODE(pthread_condattr_init(&condattr));
    CODE(pthread_condattr_setclock(&condattr, CLOCK_MONOTONIC));
    CODE(pthread_condattr_getclock(&condattr, &clock));
    NUM(clock == CLOCK_MONOTONIC);
    CODE(pthread_condattr_setpshared(&condattr, PTHREAD_PROCESS_SHARED));
    CODE(pthread_condattr_getpshared(&condattr, &value));
    NUM(value == PTHREAD_PROCESS_SHARED);
    CODE(pthread_condattr_destroy(&condattr));
    CODE(pthread_rwlockattr_init(&rwlockattr));
    CODE(pthread_rwlockattr_setpshared(&rwlockattr, PTHREAD_PROCESS_SHARED));
    CODE(pthread_rwlockattr_getpshared(&rwlockattr, &value));
    NUM(value == PTHREAD_PROCESS_SHARED);
    CODE(pthread_rwlockattr_setkind_np(&rwlockattr, PTHREAD_RWLOCK_PREFER_WRITER_NP));
    CODE(pthread_rwlockattr_getkind_np(&rwlockattr, &value));
    NUM(value == PTHREAD_RWLOCK_PREFER_WRITER_NP);
    CODE(pthread_rwlockattr_destroy(&rwlockattr));
    CODE(pthread_barrierattr_init(&barrierattr));
    CODE(pthread_barrierattr_setpshared(&barrierattr, PTHREAD_PROCESS_SHARED));
    CODE(pthread_barrierattr_getpshared(&barrierattr, &value));
    NUM(value == PTHREAD_PROCESS_SHARED);
    CODE(pthread_barrierattr_destroy(&barrierattr));
}

static void program(void)
{
    of_threads();
    of_mutexes();
    of_others();
}
