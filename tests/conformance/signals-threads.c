// Signals to threads, and waiting for them.
#include "conform.h"
#include <semaphore.h>
#include <signal.h>

static sem_t ready;
static volatile sig_atomic_t seen;
static pthread_t seen_in;

static void handler(int number)
{
    seen = number;
    seen_in = pthread_self();
}

static void *waits(void *argument)
{
    sigset_t set;
    int number = 0;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    CODE(sigwait(&set, &number));
    NUM(number == SIGUSR2);
    sem_post(&ready);
    CODE(sigwait(&set, &number));
    NUM(number == SIGUSR1);
    return argument;
}

static void *kills_itself(void *argument)
{
    CODE(pthread_kill(pthread_self(), SIGALRM));
    NUM(seen == SIGALRM);
    NUM(pthread_equal(seen_in, pthread_self()) != 0);
    return argument;
}

static void program(void)
{
    struct timespec none = {0}, wrong = {.tv_nsec = -1};
    union sigval value = {.sival_int = 42};
    siginfo_t info;
    sigset_t set, pending;
    pthread_t thread;

    sem_init(&ready, 0, 0);
    signal(SIGALRM, handler);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    CODE(pthread_sigmask(SIG_BLOCK, &set, NULL));
    pthread_create(&thread, NULL, waits, NULL);
    pthread_kill(thread, SIGUSR2);
    sem_wait(&ready);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    in_thread(kills_itself, NULL);
    CODE(pthread_kill(pthread_self(), 0));
    CODE(pthread_kill(pthread_self(), 999));
    SYS(kill(getpid(), SIGUSR1));
    SYS(sigpending(&pending));
    NUM(sigismember(&pending, SIGUSR1));
    SYS(sigwaitinfo(&set, &info));
    NUM(info.si_signo == SIGUSR1);
    SYS(sigtimedwait(&set, &info, &none));
    SYS(sigtimedwait(&set, &info, &wrong));
    CODE(pthread_sigqueue(pthread_self(), SIGUSR2, value));
    SYS(sigtimedwait(&set, &info, &none));
    NUM(info.si_value.sival_int);
    SYS(kill(getpid(), 0));
    SYS(kill(getpid(), 999));
    raise(SIGUSR1);
    sigfillset(&pending);
    sigdelset(&pending, SIGALRM);
    seen = 0;
    sigprocmask(SIG_BLOCK, &pending, NULL);
    raise(SIGALRM);
    NUM(seen == SIGALRM);
}
