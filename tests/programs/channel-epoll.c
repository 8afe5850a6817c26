// A set of watched descriptors: told again as long as something is there, or once for each arrival, or once at all.
// EXPECT: safe
// EXPECT(sc -DEDGE): deadlock at=wait
// EXPECT(sc -DONCE): deadlock at=wait
// EXPECT(sc -DEDGE -DDRAIN): safe
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#ifdef EDGE
#define HOW EPOLLET
#elif defined ONCE
#define HOW EPOLLONESHOT
#else
#define HOW 0
#endif

static int ends[2], set;

static void *writer(void *_)
{
    assert(write(ends[1], "ab", 2) == 2);
    assert(write(ends[1], "c", 1) == 1);
    return NULL;
}

/* Takes one byte a time. Told only of what arrives, one must take all there is. */
static void *reader(void *_)
{
    struct epoll_event event;
    int got = 0;
    char c;

    while (got < 3) {
        assert(epoll_wait(set, &event, 1, -1) == 1); /* wait */
        assert(event.events == EPOLLIN && event.data.fd == ends[0]);
        assert(read(ends[0], &c, 1) == 1);
        got++;
#ifdef DRAIN
        while (read(ends[0], &c, 1) == 1)
            got++;
        assert(errno == EAGAIN);
#endif
    }
    return NULL;
}

int main(void)
{
    struct epoll_event event = {.events = EPOLLIN | HOW};

    assert(pipe(ends) == 0);
    set = epoll_create1(0);
    event.data.fd = ends[0];
#ifdef DRAIN
    assert(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
#endif
    assert(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
    assert(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == -1 && errno == EEXIST);
    assert(epoll_wait(set, &event, 1, 0) == 0);
    run2(writer, reader);
    return 0;
}
