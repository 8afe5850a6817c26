// Waiting in a loop for a flag.
// EXPECT(all): safe
// EXPECT(all -DRELAXED): data-race
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
#ifdef RELAXED
    while (!load(flag, relaxed))
        ;
#else
    while (!load(flag, acquire))
        ;
#endif
    assert(data == 1);
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
