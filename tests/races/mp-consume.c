// memory_order_consume is taken as acquire, as compilers do.
// EXPECT(all): safe
#include "races.h"

static int data;
static atomic_int flag;

static void *first(void *_)
{
    data = 1;
    store(flag, 1, release);
    return _;
}

static void *second(void *_)
{
    if (load(flag, consume))
        assert(data == 1);
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
