// poll, select and epoll wait for what another thread writes.
#include "conform.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>

static int ends[2], counter;

static void *writes(void *argument)
{
    write(ends[1], "x", 1);
    return argument;
}

static void *counts(void *argument)
{
    uint64_t one = 1;

    write(counter, &one, sizeof one);
    return argument;
}

static void *closes(void *argument)
{
    close(ends[1]);
    return argument;
}

static void program(void)
{
    struct pollfd fds[1];
    struct epoll_event event = {.events = EPOLLIN}, got[2];
    fd_set in;
    pthread_t thread;
    uint64_t count = 0;
    char byte;
    int fd;

    SYS(pipe(ends));
    fds[0] = (struct pollfd){ends[0], POLLIN, 0};
    pthread_create(&thread, NULL, writes, NULL);
    SYS(poll(fds, 1, -1));
    NUM(fds[0].revents == POLLIN);
    SYS(read(ends[0], &byte, 1));
    pthread_join(thread, NULL);
    FD_ZERO(&in);
    FD_SET(ends[0], &in);
    pthread_create(&thread, NULL, writes, NULL);
    SYS(select(ends[0] + 1, &in, NULL, NULL, NULL));
    NUM(FD_ISSET(ends[0], &in) != 0);
    SYS(read(ends[0], &byte, 1));
    pthread_join(thread, NULL);
    SYS(counter = eventfd(0, 0));
    SYS(fd = epoll_create1(0));
    SYS(epoll_ctl(fd, EPOLL_CTL_ADD, counter, &event));
    pthread_create(&thread, NULL, counts, NULL);
    SYS(epoll_wait(fd, got, 2, -1));
    NUM(got[0].events == EPOLLIN);
    SYS(read(counter, &count, sizeof count));
    NUM(count);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, closes, NULL);
    SYS(poll(fds, 1, -1));
    NUM(fds[0].revents == POLLHUP);
    pthread_join(thread, NULL);
}
