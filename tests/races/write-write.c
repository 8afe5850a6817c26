// Two plain writes.
// EXPECT(all): data-race at=second
#include "races.h"

static int x;

static void *first(void *_)
{
    x = 1;
    return _;
}

static void *second(void *_)
{
    x = 2; /* second */
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
