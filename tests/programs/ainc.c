// N atomic increments of one variable: one order if nobody uses what was there before, whatever the memory order and however it is written; else N!.
// EXPECT(all -DN=2 -DUSED): safe executions=2
// EXPECT(all -DN=4 -DUSED): safe executions=24
// EXPECT(sc -DN=6 -DUSED -O1): safe executions=720
// EXPECT(all -DN=2): safe executions=1
// EXPECT(all -DN=12 -DORDER=relaxed): safe executions=1
// EXPECT(sc -DN=12 -DORDER=acquire): safe executions=1
// EXPECT(sc -DN=12 -DORDER=release -O2): safe executions=1
// EXPECT(sc -DN=12 -DORDER=acq_rel): safe executions=1
// EXPECT(all -DN=12 -DORDER=seq_cst -O1): safe executions=1
// EXPECT(sc -DN=12 -DHOW=x++): safe executions=1
// EXPECT(sc -DN=12 -DHOW=++x -O2): safe executions=1
// EXPECT(sc -DN=12 -DHOW=x+=1): safe executions=1
// EXPECT(sc -DN=12 -DHOW=__sync_fetch_and_add(&z,1)): safe executions=1
// EXPECT(sc -DN=12 -DHOW=__sync_add_and_fetch(&z,1)): safe executions=1
// EXPECT(sc -DN=12 -DHOW=__atomic_add_fetch(&z,1,5)): safe executions=1
// EXPECT(sc -DN=12 -DHOW=y-=-1): safe executions=1
#include "common.h"

#ifndef ORDER
#define ORDER relaxed
#endif
#define NAME(order) memory_order_##order
#define IN(order)   NAME(order)
#ifndef HOW
#define HOW atomic_fetch_add_explicit(&x, 1, IN(ORDER))
#endif

static atomic_int x;
static _Atomic int y;
static int z;

static void *thread(void *_)
{
#ifdef USED
    assert(HOW < N);
#else
    HOW;
#endif
    return NULL;
}

int main(void)
{
    run(N, thread);
    assert(x + y + z == N);
    return 0;
}
