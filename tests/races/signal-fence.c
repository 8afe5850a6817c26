// A fence for signal handlers orders nothing between threads.
// EXPECT(all): data-race
#include "races.h"

static int data;
static atomic_int flag;

static void *first(void *_)
{
    data = 1;
    atomic_signal_fence(memory_order_seq_cst);
    store(flag, 1, relaxed);
    return _;
}

static void *second(void *_)
{
    int ready = load(flag, relaxed);

    atomic_signal_fence(memory_order_seq_cst);
    if (ready)
        data = 2;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
