// A loop that waits for a plain flag never gives way; the race shows all the same.
// EXPECT(all): data-race
// EXPECT(all -DATOMIC): safe
#include "races.h"

#ifdef ATOMIC
static atomic_int flag;
#else
static int flag;
#endif

static void *first(void *_)
{
    while (!flag)
        ;
    return _;
}

static void *second(void *_)
{
    flag = 1;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
