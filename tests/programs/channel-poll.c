// Waiting for one of two pipes: which is ready first is open. With a timeout, it may be none.
// EXPECT(all): safe
// EXPECT(sc -DTIMEOUT): assertion at=timeout
// EXPECT(sc -DSELECT): safe
// EXPECT(sc -DNEVER): deadlock at=poll
// EXPECT(sc -DFIRST): assertion at=first
#define _GNU_SOURCE
#include "common.h"
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

static int a[2], b[2];

static void *writer(void *argument)
{
#ifndef NEVER
    assert(write(argument ? b[1] : a[1], "x", 1) == 1);
#endif
    return NULL;
}

#ifdef SELECT
static int ready(int *first, int *second)
{
    fd_set set;
    int n;

    FD_ZERO(&set);
    if (*first >= 0)
        FD_SET(a[0], &set);
    if (*second >= 0)
        FD_SET(b[0], &set);
    n = select(b[0] + 1, &set, NULL, NULL, NULL);
    *first = *first >= 0 && FD_ISSET(a[0], &set);
    *second = *second >= 0 && FD_ISSET(b[0], &set);
    return n;
}
#else
static int ready(int *first, int *second)
{
    struct pollfd fds[2] = {{.fd = *first >= 0 ? a[0] : -1, .events = POLLIN},
                            {.fd = *second >= 0 ? b[0] : -1, .events = POLLIN}};
#ifdef TIMEOUT
    int n = poll(fds, 2, 100);

    assert(n > 0); /* timeout */
#else
    int n = poll(fds, 2, -1); /* poll */
#endif

    *first = fds[0].revents == POLLIN;
    *second = fds[1].revents == POLLIN;
    return n;
}
#endif

int main(void)
{
    pthread_t threads[2];
    int got_a = 0, got_b = 0;
    char c;

    assert(pipe(a) == 0 && pipe(b) == 0);
    for (intptr_t i = 0; i < 2; i++)
        assert(pthread_create(&threads[i], NULL, writer, (void *)i) == 0);
    while (!got_a || !got_b) {
        int first = got_a ? -1 : 0, second = got_b ? -1 : 0;
        int n = ready(&first, &second);

        assert(n >= 1 && n == (first > 0) + (second > 0));
#ifdef FIRST
        assert(first > 0); /* first */
#endif
        if (first > 0)
            assert(read(a[0], &c, 1) == 1 && ++got_a);
        if (second > 0)
            assert(read(b[0], &c, 1) == 1 && ++got_b);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
