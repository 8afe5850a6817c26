// With --keep-going no pair of places is told twice, and the search goes on with those accesses as visible steps.
// OPTIONS: --keep-going
// EXPECT(sc): data-race bugs=2
// EXPECT(sc -DARRAY): data-race bugs=1
// EXPECT(sc -DASSERTS): data-race bugs=3
#include "races.h"

static int x, y;
static int numbers[4];

static void *first(void *_)
{
#if defined ARRAY
    for (int i = 0; i < 4; i++)
        numbers[i] = 1;
#elif defined ASSERTS
    x = 1;
    assert(y == 0);
#else
    x = 1;
    y = 1;
    x = 2;
#endif
    return _;
}

static void *second(void *_)
{
#if defined ARRAY
    for (int i = 0; i < 4; i++)
        numbers[i] = 2;
#elif defined ASSERTS
    y = x;
#else
    x = 3;
    y = 3;
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
