// Loops that try again with what they have just found, by several means: as many executions as orders in which they succeed.
// EXPECT: safe executions=6 blocked=15
// EXPECT(sc -O1): safe executions=6 blocked=15
// EXPECT(sc -O2): safe executions=6 blocked=15
// EXPECT(sc -O3): safe executions=6 blocked=15
// EXPECT(sc -DVALUE): safe executions=6 blocked=15
// EXPECT(sc -DBUILTIN -O1): safe executions=6 blocked=15
// EXPECT(sc -DSEEN): safe executions=6
// EXPECT(tso): safe executions=6
// EXPECT(pso -O2): safe executions=6
#include "common.h"

static atomic_int x, other;

static void *adds(void *_)
{
#if defined VALUE
    int old = *(volatile int *)&x, seen;

    while ((seen = __sync_val_compare_and_swap((int *)&x, old, old + 1)) != old)
        old = seen;
#elif defined BUILTIN
    int old = __atomic_load_n((int *)&x, __ATOMIC_RELAXED);

    while (!__atomic_compare_exchange_n((int *)&x, &old, old + 1, 1, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
        ;
#elif defined SEEN
    int old = atomic_load(&x);

    for (;;) {
        if (atomic_load(&other) == 7)
            break;
        if (atomic_compare_exchange_weak(&x, &old, old + 1))
            break;
    }
#else
    int old = atomic_load(&x);

    while (!atomic_compare_exchange_strong(&x, &old, old + 1))
        ;
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, adds, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&x) == 3);
    return 0;
}
