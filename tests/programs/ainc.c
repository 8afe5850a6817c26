// N atomic increments of one variable: N! orders.
// EXPECT(all -DN=2): safe executions=2
// EXPECT(all -DN=4): safe executions=24
// EXPECT(sc -DN=6 -O1): safe executions=720
#include "common.h"

static atomic_int x;

static void *thread(void *_)
{
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    run(N, thread);
    assert(x == N);
    return 0;
}
