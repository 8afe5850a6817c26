// Signals that a thread sends to itself, to another one and to the process; waiting for them; jumps out of handlers.
#include "conform.h"
#include <setjmp.h>
#include <signal.h>

void __longjmp_chk(struct __jmp_buf_tag *, int); /* what _FORTIFY_SOURCE puts in */

static volatile sig_atomic_t seen, value;
static sigset_t set;
static sigjmp_buf place;
static jmp_buf plain_place;

static void handler(int number)
{
    seen = number;
}

static void detailed(int number, siginfo_t *info, void *context)
{
    seen = number;
    value = info->si_value.sival_int + (info->si_code == SI_QUEUE ? 1000 : 0);
}

static void jumps(int number)
{
    siglongjmp(place, number);
}

static void jumps_plainly(int number)
{
    longjmp(plain_place, number);
}

static void *waits(void *argument)
{
    int number = 0;

    CODE(sigwait(&set, &number));
    NUM(number);
    return argument;
}

static int is_blocked(int number)
{
    sigset_t now;

    pthread_sigmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, number);
}

static void sending(void)
{
    struct sigaction action = {.sa_sigaction = detailed, .sa_flags = SA_SIGINFO};

    signal(SIGUSR1, handler);
    NUM(pthread_kill(pthread_self(), SIGUSR1));
    NUM(seen == SIGUSR1);
    seen = 0;
    SYS(kill(getpid(), SIGUSR1));
    NUM(seen == SIGUSR1);
    CODE(pthread_kill(pthread_self(), 0));
    CODE(pthread_kill(pthread_self(), 200));
    SYS(kill(getpid(), 0));
    SYS(kill(getpid(), 200));
    NUM(raise(0));
    sigaction(SIGUSR1, &action, NULL);
    SYS(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 5}));
    NUM(value);
    CODE(pthread_sigqueue(pthread_self(), SIGUSR1, (union sigval){.sival_int = 7}));
    NUM(value);
    SYS(siginterrupt(SIGUSR1, 1));
    signal(SIGUSR1, SIG_IGN);
    seen = 0;
    NUM(raise(SIGUSR1));
    NUM(seen);
}

static void waiting(void)
{
    struct timespec none = {0}, wrong = {.tv_nsec = -1};
    siginfo_t info;
    sigset_t empty;
    pthread_t thread;

    sigemptyset(&set);
    sigemptyset(&empty);
    sigaddset(&set, SIGUSR2);
    signal(SIGUSR2, handler);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    SYS(sigtimedwait(&set, &info, &none));
    SYS(sigtimedwait(&set, &info, &wrong));
    raise(SIGUSR2);
    SYS(sigwaitinfo(&set, &info));
    NUM(info.si_signo);
    raise(SIGUSR2);
    NUM(seen);
    SYS(sigsuspend(&empty));
    NUM(seen == SIGUSR2);
    NUM(is_blocked(SIGUSR2));
    pthread_create(&thread, NULL, waits, NULL);
    assert(pthread_kill(thread, SIGUSR2) == 0);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, waits, NULL);
    assert(kill(getpid(), SIGUSR2) == 0);
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void jumping(void)
{
    signal(SIGUSR1, jumps);
    if (sigsetjmp(place, 1) == 0)
        raise(SIGUSR1);
    NUM(is_blocked(SIGUSR1));
    if (sigsetjmp(place, 0) == 0)
        raise(SIGUSR1);
    NUM(is_blocked(SIGUSR1));
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    signal(SIGUSR1, jumps_plainly);
    if (setjmp(plain_place) == 0)
        raise(SIGUSR1);
    NUM(is_blocked(SIGUSR1));
    if (_setjmp(plain_place) == 0)
        _longjmp(plain_place, 1);
    if (_setjmp(plain_place) == 0)
        __longjmp_chk(plain_place, 1);
    if (__sigsetjmp(place, 1) == 0)
        siglongjmp(place, 1);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void program(void)
{
    seen = value = 0;
    sending();
    seen = 0;
    waiting();
    jumping();
}
