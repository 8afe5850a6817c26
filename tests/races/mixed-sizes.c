// Accesses of different sizes that overlap in a byte, or just do not.
// EXPECT(all -DFIRST=0 -DSECOND=4): safe
// EXPECT(all -DFIRST=0 -DSECOND=3): data-race
// EXPECT(all -DFIRST=4 -DSECOND=0): safe
// EXPECT(all -DFIRST=4 -DSECOND=7): data-race
// EXPECT(all -DFIRST=1 -DSECOND=4): data-race
// EXPECT(all -DFIRST=1 -DSECOND=0): safe
// EXPECT(all -DFIRST=1 -DSECOND=5): safe
#include "races.h"

static _Alignas(8) char bytes[16];

static void put4(int at)
{
    uint32_t value = 0x01010101;

    memcpy(bytes + at, &value, sizeof value);
}

static void put1(int at)
{
    bytes[at] = 1;
}

static void *first(void *_)
{
    put4(FIRST);
    return _;
}

static void *second(void *_)
{
    put1(SECOND);
    if (SECOND == 4)
        put1(7);
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
