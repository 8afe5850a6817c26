// Sixteen bytes at once.
// EXPECT(all): data-race
// EXPECT(all -DAPART): safe
#include "races.h"

static struct {
    unsigned __int128 wide;
    uint64_t next;
} both;

static void *first(void *_)
{
    both.wide = 1;
    return _;
}

static void *second(void *_)
{
#ifdef APART
    both.next = 1;
#else
    ((uint64_t *)&both.wide)[1] = 1;
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
