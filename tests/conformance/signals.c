// Dispositions and masks of signals; a handler that a thread calls by raise.
#define _XOPEN_SOURCE 700
#include "conform.h"
#include <signal.h>

typedef void (*handler_type)(int);
handler_type bsd_signal(int, handler_type);
handler_type __sysv_signal(int, handler_type);

static volatile sig_atomic_t seen;

static void handler(int number)
{
    seen = number;
}

static void detailed(int number, siginfo_t *info, void *context)
{
    seen = number + (info->si_signo == number ? 100 : 0);
}

static void masks(void)
{
    sigset_t set, old;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    SYS(sigprocmask(SIG_BLOCK, &set, &old));
    NUM(sigismember(&old, SIGUSR1));
    CODE(pthread_sigmask(SIG_BLOCK, NULL, &old));
    NUM(sigismember(&old, SIGUSR1));
    seen = 0;
    NUM(raise(SIGUSR1));
    NUM(seen);
    SYS(sigpending(&old));
    NUM(sigismember(&old, SIGUSR1));
    CODE(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
    NUM(seen == SIGUSR1);
    SYS(sigprocmask(99, &set, NULL));
    CODE(pthread_sigmask(99, &set, NULL));
}

static void program(void)
{
    struct sigaction action = {.sa_sigaction = detailed, .sa_flags = SA_SIGINFO}, old;
    stack_t stack = {.ss_flags = SS_DISABLE}, before;

    NUM(signal(SIGUSR1, handler) == SIG_DFL);
    NUM(signal(SIGUSR1, handler) == handler);
    NUM(raise(SIGUSR1));
    NUM(seen == SIGUSR1);
    NUM(bsd_signal(SIGUSR2, SIG_IGN) == SIG_DFL);
    NUM(raise(SIGUSR2));
    NUM(sysv_signal(SIGUSR2, handler) == SIG_IGN);
    NUM(raise(SIGUSR2));
    NUM(seen == SIGUSR2);
    SYS(sigaction(SIGUSR2, NULL, &old));
    NUM(old.sa_handler == SIG_DFL); /* sysv_signal is for one */
    NUM(__sysv_signal(SIGUSR2, SIG_IGN) == SIG_DFL);
    SYS(sigaction(SIGUSR2, &action, &old));
    NUM(old.sa_handler == SIG_IGN);
    NUM(raise(SIGUSR2));
    NUM(seen == SIGUSR2 + 100);
    SYS(sigaction(SIGKILL, &action, NULL));
    SYS(sigaction(999, &action, NULL));
    NUM(signal(999, handler) == SIG_ERR);
    NUM(raise(0));
    masks();
    SYS(sigaltstack(&stack, &before));
    NUM(before.ss_flags == SS_DISABLE);
}
