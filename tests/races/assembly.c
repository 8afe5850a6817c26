// A compare-exchange in assembly acquires and releases, also when it fails.
// EXPECT(all): safe
#include "races.h"

static int data;
static int flag;

static int exchange(int *at, int expected, int desired)
{
    int old;

    __asm__ volatile("lock cmpxchgl %2, %1"
                     : "=a"(old), "+m"(*at)
                     : "r"(desired), "0"(expected)
                     : "memory");
    return old;
}

static void *first(void *_)
{
    data = 1;
    exchange(&flag, 0, 1);
    return _;
}

static void *second(void *_)
{
    if (exchange(&flag, 7, 8) == 1)
        data = 2;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
