// Loops that wait for another thread, without any annotation; and one that waits for what never comes.
// EXPECT(all): safe
// EXPECT(all -O2): safe
// EXPECT(sc -DNEVER): spin
// EXPECT(sc -DTEST_AND_SET): safe
#include "common.h"

static atomic_int ready, data;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void *setter(void *_)
{
    atomic_store(&data, 1);
#ifndef NEVER
    atomic_store(&ready, 1);
#endif
    return NULL;
}

static void *waiter(void *_)
{
    while (!atomic_load(&ready))
        ;
    assert(atomic_load(&data) == 1);
    return NULL;
}

#ifdef TEST_AND_SET
static void *locker(void *_)
{
    while (atomic_flag_test_and_set(&lock))
        ;
    store(data, load(data) + 1);
    atomic_flag_clear(&lock);
    return NULL;
}
#endif

int main(void)
{
#ifdef TEST_AND_SET
    run2(locker, locker);
    assert(data == 2);
#else
    run2(setter, waiter);
#endif
    return 0;
}
