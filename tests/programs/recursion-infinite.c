// Recursion without an end, in a thread and in main.
// EXPECT(all): crash says=stack.* overflow
// EXPECT(sc -DIN_MAIN): crash says=stack.* overflow
// EXPECT(sc -O1): crash says=stack.* overflow
#include "common.h"
#pragma clang diagnostic ignored "-Winfinite-recursion"

static int deeper(int n)
{
    char room[512];

    snprintf(room, sizeof room, "%d", n); /* a call that the optimiser cannot drop */
    return deeper(n + 1) + room[0];
}

static void *thread(void *_)
{
    return (void *)(intptr_t)deeper(0);
}

int main(void)
{
#ifdef IN_MAIN
    deeper(0);
#endif
    run(1, thread);
    return 0;
}
