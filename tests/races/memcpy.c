// Copies as ranges: the last byte counts.
// EXPECT(all): safe
// EXPECT(all -DSOURCE): data-race
// EXPECT(all -DTARGET): data-race
// EXPECT(all -DLAST): data-race
#include "races.h"

#define SIZE 37

static char from[64], to[64];

static void *first(void *_)
{
    memcpy(to, from, SIZE);
    return _;
}

static void *second(void *_)
{
    from[SIZE] = to[SIZE] = 1;
#if defined SOURCE
    from[5] = 1;
#elif defined TARGET
    assert(to[5] == 0);
#elif defined LAST
    to[SIZE - 1] = 1;
#else
    assert(from[SIZE - 1] == 0);
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
