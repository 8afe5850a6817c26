// Plain data under a sequence counter is a race, whatever is done with what was read; atomic data is not.
// EXPECT(all): data-race
// EXPECT(all -DATOMIC): safe
#include "races.h"

static atomic_uint sequence;
#ifdef ATOMIC
static atomic_int a, b;
#define PUT(x, v) store(x, v, relaxed)
#define GET(x)    load(x, relaxed)
#else
static int a, b;
#define PUT(x, v) ((x) = (v))
#define GET(x)    (x)
#endif

static void *first(void *_)
{
    store(sequence, 1, relaxed);
    atomic_thread_fence(memory_order_release);
    PUT(a, 1);
    PUT(b, 1);
    store(sequence, 2, release);
    return _;
}

static void *second(void *_)
{
    unsigned before = load(sequence, acquire);
    int x = GET(a), y = GET(b);

    atomic_thread_fence(memory_order_acquire);
    if (before % 2 == 0 && load(sequence, relaxed) == before)
        assert(x == y);
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
