// Recursion that needs 4 MiB of stack, in main and in a thread: threads have 8 MiB by default.
// EXPECT(all -DDEPTH=1000 -O1): safe executions=1
// EXPECT(sc -DDEPTH=4000 -O1): safe executions=1
#include "common.h"

static int depth(int n)
{
    volatile char room[1024];

    room[n % 1024] = (char)n;
    return n == 0 ? 0 : depth(n - 1) + 1 + 0 * room[n % 1024];
}

static void *thread(void *_)
{
    return (void *)(intptr_t)(depth(DEPTH) == DEPTH ? 0 : 1);
}

int main(void)
{
    assert(depth(DEPTH) == DEPTH);
    run(1, thread);
    return 0;
}
