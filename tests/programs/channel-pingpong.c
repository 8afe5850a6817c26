// Two threads that talk by two pipes: each byte is waited for, so there is one order.
// EXPECT(all): safe executions=1
#include "common.h"
#include <unistd.h>

static int to[2], from[2];

static void *ping(void *_)
{
    char c = 'x';

    for (int i = 0; i < 3; i++) {
        assert(write(to[1], &c, 1) == 1);
        assert(read(from[0], &c, 1) == 1);
    }
    assert(c == 'x' + 3);
    return NULL;
}

static void *pong(void *_)
{
    char c;

    for (int i = 0; i < 3; i++) {
        assert(read(to[0], &c, 1) == 1);
        c++;
        assert(write(from[1], &c, 1) == 1);
    }
    return NULL;
}

int main(void)
{
    assert(pipe(to) == 0 && pipe(from) == 0);
    run2(ping, pong);
    return 0;
}
