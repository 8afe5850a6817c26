// An atomic access beside a plain one to the same variable is a race; atomics among themselves are not.
// EXPECT(all): safe
// EXPECT(all -DPLAIN_READ): data-race
// EXPECT(all -DPLAIN_WRITE): data-race
// EXPECT(all -DONLY_READS): safe
#include "races.h"

static atomic_int x;

static void *first(void *_)
{
#ifdef ONLY_READS
    assert(load(x, relaxed) == 0);
#else
    store(x, 1, relaxed);
#endif
    return _;
}

static void *second(void *_)
{
#if defined PLAIN_READ || defined ONLY_READS
    assert(*(int *)&x >= 0);
#elif defined PLAIN_WRITE
    *(int *)&x = 2;
#else
    store(x, 2, relaxed);
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
