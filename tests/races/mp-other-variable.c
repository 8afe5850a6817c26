// Release and acquire of different variables order nothing.
// EXPECT(all): data-race
#include "races.h"

static int data;
static atomic_int flag, other;

static void *first(void *_)
{
    data = 1;
    store(flag, 1, relaxed);
    store(other, 1, release);
    return _;
}

static void *second(void *_)
{
    if (load(flag, acquire))
        data = 2;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
