// Calls that wait with a mask of their own: a signal that this lets in ends them, unless something is ready.
#include "conform.h"
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

static volatile sig_atomic_t seen;

static void handler(int number)
{
    seen += number == SIGUSR1;
}

static void waits(int fd)
{
    struct pollfd poll = {.fd = fd, .events = POLLIN};
    struct epoll_event event = {.events = EPOLLIN};
    struct timespec second = {.tv_sec = 1};
    int epoll = epoll_create1(0);
    sigset_t none;
    fd_set set;

    sigemptyset(&none);
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    FD_ZERO(&set);
    FD_SET(fd, &set);
    raise(SIGUSR1);
    SYS(ppoll(&poll, 1, NULL, &none));
    NUM(seen);
    raise(SIGUSR1);
    SYS(ppoll(&poll, 1, &second, &none));
    NUM(seen);
    raise(SIGUSR1);
    SYS(pselect(fd + 1, &set, NULL, NULL, NULL, &none));
    NUM(seen);
    NUM(FD_ISSET(fd, &set));
    raise(SIGUSR1);
    SYS(epoll_pwait(epoll, &event, 1, -1, &none));
    NUM(seen);
    close(epoll);
}

static void program(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct pollfd poll = {.events = POLLIN};
    struct timespec short_time = {.tv_nsec = 1000}, left = {.tv_nsec = 7};
    sigset_t set, none, pending;
    int fds[2];

    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaction(SIGUSR1, &action, NULL);
    sigprocmask(SIG_BLOCK, &set, NULL);
    SYS(pipe(fds));
    waits(fds[0]);
    poll.fd = fds[0];
    SYS(ppoll(&poll, 1, &short_time, &none));
    raise(SIGUSR1);
    SYS(ppoll(&poll, 1, &short_time, NULL));
    sigpending(&pending);
    NUM(sigismember(&pending, SIGUSR1));
    write(fds[1], "x", 1);
    SYS(ppoll(&poll, 1, NULL, &none));
    NUM(seen);
    sigpending(&pending);
    NUM(sigismember(&pending, SIGUSR1));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    NUM(seen);
    sigprocmask(SIG_BLOCK, &none, NULL);
    CODE(clock_nanosleep(CLOCK_MONOTONIC, 0, &short_time, &left));
    NUM(left.tv_nsec);
}
