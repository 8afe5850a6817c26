// A million plain accesses between two visible operations.
// EXPECT(all): safe
// EXPECT(all -DSHARED): data-race
#include "races.h"

static int sums[2];
static unsigned table[1000];

static void work(int me)
{
    for (int i = 0; i < 1000000; i++)
        sums[me] += table[i % 1000];
}

static void *first(void *_)
{
    work(0);
    return _;
}

static void *second(void *_)
{
#ifdef SHARED
    work(0);
#else
    work(1);
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
