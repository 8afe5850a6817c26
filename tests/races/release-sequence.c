// A read-modify-write of whatever order hands on the release that it read from; a store does not.
// EXPECT(all): safe
// EXPECT(all -DSTORE): data-race
// EXPECT(all -DEXCHANGE): safe
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
#if defined STORE
    if (load(flag, relaxed) == 1)
        store(flag, 2, relaxed);
#elif defined EXCHANGE
    if (load(flag, relaxed) == 1)
        atomic_exchange_explicit(&flag, 2, memory_order_relaxed);
#else
    int one = 1;

    atomic_compare_exchange_strong_explicit(&flag, &one, 2, memory_order_relaxed,
                                            memory_order_relaxed);
#endif
    return _;
}

static void *third(void *_)
{
    if (load(flag, acquire) == 2)
        data = 2;
    return _;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, third, NULL);
    run2(first, second);
    pthread_join(t, NULL);
    return 0;
}
