// volatile counts as a relaxed atomic: no race on it, and it orders nothing.
// EXPECT(all): safe
// EXPECT(all -DMESSAGE): data-race
#include "races.h"

static volatile int flag;
static int data;

static void *first(void *_)
{
#ifdef MESSAGE
    data = 1;
#endif
    flag = 1;
    return _;
}

static void *second(void *_)
{
    if (flag)
        data = 2;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
