// An acquire load that reads the value from before learns nothing.
// EXPECT(all): data-race
// EXPECT(all -DCHECKED): safe
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
    int value = load(flag, acquire);

#ifdef CHECKED
    if (value)
#endif
        data = 2 + value;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
