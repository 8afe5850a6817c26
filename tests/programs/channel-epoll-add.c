// A thread waits on a set that another one adds to: then it is woken by what was added.
// EXPECT: safe
// EXPECT(sc -DREMOVE): deadlock at=wait
#include "common.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int set, event_fd;

static void *waiter(void *_)
{
    struct epoll_event event;

    assert(epoll_wait(set, &event, 1, -1) == 1); /* wait */
    assert(event.data.u32 == 7);
    return NULL;
}

static void *adder(void *_)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = 7};

    assert(epoll_ctl(set, EPOLL_CTL_ADD, event_fd, &event) == 0);
#ifdef REMOVE
    assert(epoll_ctl(set, EPOLL_CTL_DEL, event_fd, NULL) == 0);
#endif
    return NULL;
}

int main(void)
{
    set = epoll_create1(0);
    event_fd = eventfd(1, 0);
    run2(waiter, adder);
    return 0;
}
