// A read beside a write; two reads are no race.
// EXPECT(all): data-race
// EXPECT(all -DREADS): safe executions=1
#include "races.h"

static int x = 1;
static int seen[2];

static void *first(void *_)
{
    seen[0] = x;
    return _;
}

static void *second(void *_)
{
#ifdef READS
    seen[1] = x;
#else
    x = 2;
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
