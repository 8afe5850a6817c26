// Which descriptors are ready: poll, select, epoll, with pipes, events and timers; nothing waits for ever.
#include "conform.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

static int ends[2];

static void polls(void)
{
    struct pollfd fds[3] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}, {-1, POLLIN, 0}};
    struct timespec none = {0}, ten = {.tv_nsec = 10000000};

    SYS(poll(fds, 3, 0));
    NUM(fds[0].revents);
    NUM(fds[1].revents == POLLOUT);
    SYS(poll(fds, 1, 0));
    SYS(poll(fds, 1, 10));
    SYS(ppoll(fds, 1, &none, NULL));
    SYS(ppoll(fds, 1, &ten, NULL));
    write(ends[1], "a", 1);
    SYS(poll(fds, 2, -1));
    NUM(fds[0].revents == POLLIN);
    SYS(ppoll(fds, 1, NULL, NULL));
    fds[0].fd = 999;
    SYS(poll(fds, 1, 0));
    NUM(fds[0].revents == POLLNVAL);
}

static void selects(void)
{
    fd_set in, out;
    struct timeval none = {0};
    struct timespec zero = {0};
    int n = (ends[0] > ends[1] ? ends[0] : ends[1]) + 1;

    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_SET(ends[0], &in);
    FD_SET(ends[1], &out);
    SYS(select(n, &in, &out, NULL, NULL));
    NUM(FD_ISSET(ends[0], &in) != 0);
    SYS(pselect(n, &in, NULL, NULL, &zero, NULL));
    read(ends[0], &n, 1);
    SYS(select(ends[0] + 1, &in, NULL, NULL, &none));
    NUM(FD_ISSET(ends[0], &in));
    SYS(select(-1, NULL, NULL, NULL, &none));
    FD_SET(50, &in);
    SYS(select(51, &in, NULL, NULL, &none));
}

static void epolls(void)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = 7}, got[2];
    int fd;

    SYS(epoll_create(0));
    SYS(fd = epoll_create(1));
    close(fd);
    SYS(fd = epoll_create1(EPOLL_CLOEXEC));
    SYS(epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event));
    SYS(epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event));
    SYS(epoll_wait(fd, got, 2, 0));
    SYS(epoll_wait(fd, got, 2, 5));
    write(ends[1], "a", 1);
    SYS(epoll_wait(fd, got, 2, -1));
    NUM(got[0].data.u32);
    NUM(got[0].events == EPOLLIN);
    SYS(epoll_pwait(fd, got, 2, -1, NULL));
    SYS(epoll_wait(fd, got, 0, 0));
    SYS(epoll_ctl(fd, EPOLL_CTL_DEL, ends[0], NULL));
    SYS(epoll_ctl(fd, EPOLL_CTL_MOD, ends[0], &event));
    SYS(epoll_wait(fd, got, 2, 0));
    read(ends[0], got, 1);
    close(fd);
    SYS(epoll_wait(999, got, 2, 0));
}

static void program(void)
{
    int pair[2];

    SYS(pipe(ends));
    SYS(pipe2(pair, O_NONBLOCK | O_CLOEXEC));
    SYS(read(pair[0], ends, 0));
    SYS(read(pair[0], &pair[0], 1));
    SYS(pipe2(pair, 99));
    polls();
    selects();
    epolls();
}
