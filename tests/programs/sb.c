// Store buffering: both threads may read 0 only if a store waits in a buffer.
// EXPECT: safe executions=3
// EXPECT(tso,pso -DWEAK): safe executions=4
// EXPECT(tso,pso): assertion at=both
// EXPECT(all -DFENCED): safe executions=3
// EXPECT(all -DWEAK -O1 -DFENCED): safe executions=3
// EXPECT(all -DWEAK -O2 -DFENCED): safe executions=3
#include "common.h"

static atomic_int x, y, a, b;

static void *t1(void *_)
{
    store(x, 1);
    a = load(y);
    return NULL;
}

static void *t2(void *_)
{
    store(y, 1);
    b = load(x);
    return NULL;
}

int main(void)
{
    run2(t1, t2);
#ifndef WEAK
    assert(a || b); /* both */
#endif
    return 0;
}
