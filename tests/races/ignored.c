// With --races=ignore plain accesses are visible steps, and the assertion is found.
// OPTIONS: --races=ignore
// EXPECT(all): assertion
#include "races.h"

static int x;

static void *work(void *_)
{
    int old = x;

    x = old + 1;
    return _;
}

int main(void)
{
    run2(work, work);
    assert(x == 2);
    return 0;
}
