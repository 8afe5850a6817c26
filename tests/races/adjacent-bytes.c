// Neighbours in one word are not the same memory.
// EXPECT(all): safe executions=1
// EXPECT(all -DSAME): data-race
#include "races.h"

static char bytes[8];

static void *first(void *_)
{
    for (int i = 0; i < 8; i += 2)
        bytes[i]++;
    return _;
}

static void *second(void *_)
{
    for (int i = 1; i < 8; i += 2)
        bytes[i]++;
#ifdef SAME
    bytes[6]++;
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
