// Every read-modify-write, compare-exchange, test-and-set, the old __sync and __atomic names, alone and in two threads.
// EXPECT(all): safe executions=2
// EXPECT(all -O2): safe executions=2
#include "common.h"

static atomic_int x = 12, order;
static unsigned u = 5;
static atomic_flag flag = ATOMIC_FLAG_INIT;

static void *thread(void *_)
{
    int expected = 7;

    if (atomic_fetch_add(&order, 1) == 1)
        return NULL;
    assert(atomic_fetch_sub(&x, 2) == 12);
    assert(atomic_fetch_or(&x, 5) == 10);
    assert(atomic_fetch_and(&x, 6) == 15);
    assert(atomic_fetch_xor(&x, 3) == 6);
    assert(atomic_exchange(&x, 9) == 5);
    assert(!atomic_compare_exchange_strong(&x, &expected, 1) && expected == 9);
    while (!atomic_compare_exchange_weak(&x, &expected, 1))
        ;
    assert(__sync_fetch_and_add(&u, 3) == 5);
    assert(__sync_bool_compare_and_swap(&u, 8, 2));
    assert(__atomic_add_fetch(&u, 1, __ATOMIC_ACQ_REL) == 3);
    assert(__atomic_fetch_nand(&u, 1, __ATOMIC_SEQ_CST) == 3);
    assert(u == ~1u);
    assert(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    return NULL;
}

int main(void)
{
    run(2, thread);
    assert(x == 1);
    return 0;
}
