// A relaxed store ends the sequence, even one by the thread that released.
// EXPECT(all): data-race
#include "races.h"

static int data;
static atomic_int flag;

static void *first(void *_)
{
    data = 1;
    store(flag, 1, release);
    store(flag, 2, relaxed);
    return _;
}

static void *second(void *_)
{
    if (load(flag, acquire) == 2)
        data = 2;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
