// Attributes that threads have unless they are given others, and attributes that no thread can have.
#include "conform.h"
#include <sched.h>
#include <semaphore.h>
#include <signal.h>

static sem_t ended;

static void *tells(void *argument)
{
    pthread_attr_t own;
    size_t size, guard;
    int state;

    CODE(pthread_getattr_np(pthread_self(), &own));
    pthread_attr_getstacksize(&own, &size);
    pthread_attr_getguardsize(&own, &guard);
    pthread_attr_getdetachstate(&own, &state);
    say("%s: stack %zu, guard %zu, %s", (const char *)argument, size, guard,
        state == PTHREAD_CREATE_DETACHED ? "detached" : "joinable");
    pthread_attr_destroy(&own);
    sem_post(&ended);
    return NULL;
}

static void *masked(void *argument)
{
    sigset_t mask;

    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    say("%s: %d %d", (const char *)argument, sigismember(&mask, SIGUSR1), sigismember(&mask, SIGUSR2));
    return NULL;
}

static void masks(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t set;

    pthread_attr_init(&attributes);
    sigemptyset(&set);
    NUM(pthread_attr_getsigmask_np(&attributes, &set) == PTHREAD_ATTR_NO_SIGMASK_NP);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, &attributes, masked, "its creator's");
    pthread_join(thread, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    CODE(pthread_attr_setsigmask_np(&attributes, &set));
    sigemptyset(&set);
    CODE(pthread_attr_getsigmask_np(&attributes, &set));
    NUM(sigismember(&set, SIGUSR2));
    pthread_create(&thread, &attributes, masked, "its own");
    pthread_join(thread, NULL);
    CODE(pthread_attr_setsigmask_np(&attributes, NULL));
    pthread_create(&thread, &attributes, masked, "again its creator's");
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static void defaults(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    size_t size;

    CODE(pthread_getattr_default_np(&attributes));
    pthread_attr_setstacksize(&attributes, 1 << 20);
    pthread_attr_setguardsize(&attributes, 8192);
    CODE(pthread_setattr_default_np(&attributes));
    pthread_attr_destroy(&attributes);
    pthread_getattr_default_np(&attributes);
    pthread_attr_getstacksize(&attributes, &size);
    NUM(size);
    pthread_create(&thread, NULL, tells, "joined");
    CODE(pthread_join(thread, NULL));
    sem_wait(&ended);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    CODE(pthread_setattr_default_np(&attributes));
    pthread_create(&thread, NULL, tells, "left alone");
    sem_wait(&ended);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_JOINABLE);
    CODE(pthread_setattr_default_np(&attributes));
    pthread_attr_destroy(&attributes);
}

static void *ends(void *argument)
{
    return argument;
}

static void *bound(void *argument)
{
    cpu_set_t set;

    CODE(pthread_getaffinity_np(pthread_self(), sizeof set, &set));
    NUM(CPU_COUNT(&set));
    return argument;
}

static void processors(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    cpu_set_t set, one;
    int cpu = 0;

    pthread_getaffinity_np(pthread_self(), sizeof set, &set);
    while (!CPU_ISSET(cpu, &set))
        cpu++;
    CPU_ZERO(&one);
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
    CODE(pthread_create(&thread, &attributes, ends, NULL)); /* on none */
    CPU_SET(cpu, &one);
    pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
    pthread_create(&thread, &attributes, bound, NULL);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static void refused(void)
{
    struct sched_param high = {.sched_priority = 5};
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    CODE(pthread_attr_setschedparam(&attributes, &high));
    pthread_attr_setschedpolicy(&attributes, SCHED_OTHER); /* which knows no priority 5 */
    CODE(pthread_create(&thread, &attributes, ends, NULL));
    pthread_join(thread, NULL);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    CODE(pthread_create(&thread, &attributes, ends, NULL));
    pthread_attr_destroy(&attributes);
}

static void program(void)
{
    sem_init(&ended, 0, 0);
    masks();
    defaults();
    processors();
    refused();
}
