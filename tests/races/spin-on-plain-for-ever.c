// Nobody ever sets the flag.
// EXPECT(all): spin
#include "races.h"

static int flag;

static void *first(void *_)
{
    while (!flag)
        ;
    return _;
}

static void *second(void *_)
{
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
