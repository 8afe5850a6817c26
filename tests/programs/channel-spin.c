// Loops that ask again and again without waiting: they end when something comes, and only then.
// EXPECT: safe
// EXPECT(sc -DPOLL): safe
// EXPECT(sc -DNEVER): spin at=again
// EXPECT(sc -DNEVER -DPOLL): spin at=poll
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *_)
{
#ifndef NEVER
    assert(write(ends[1], "x", 1) == 1);
#endif
    return NULL;
}

static void *reader(void *_)
{
    char c;
#ifdef POLL
    struct pollfd p = {.fd = ends[0], .events = POLLIN};

    while (poll(&p, 1, 10) == 0) /* poll */
        ;
#else
    while (read(ends[0], &c, 1) == -1) /* again */
        assert(errno == EAGAIN);
#endif
    (void)c;
    return NULL;
}

int main(void)
{
    assert(pipe(ends) == 0);
    assert(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    run2(reader, writer);
    return 0;
}
