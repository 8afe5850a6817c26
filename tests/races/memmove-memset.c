// Overlapping moves and fills.
// EXPECT(all): safe
// EXPECT(all -DMOVE): data-race
// EXPECT(all -DFILL): data-race
#include "races.h"

static char bytes[64];

static void *first(void *_)
{
    memmove(bytes + 4, bytes, 16);
    memset(bytes + 32, 1, 16);
    return _;
}

static void *second(void *_)
{
    bytes[20] = bytes[31] = bytes[48] = 1;
#ifdef MOVE
    bytes[19] = 1;
#endif
#ifdef FILL
    bytes[47] = 1;
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
