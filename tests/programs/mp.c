// Message passing: under pso the second store may become visible first.
// EXPECT(sc,tso -DCOUNT): safe executions=3
// EXPECT(pso -DCOUNT): safe executions=4
// EXPECT(sc,tso): safe executions=3
// EXPECT(pso): assertion at=stale
// EXPECT(all -DFLAG=memory_order_release): safe executions=3
// EXPECT(all -DFLAG=memory_order_seq_cst): safe executions=3
// EXPECT(all -DFENCE=memory_order_release): safe executions=3
#include "common.h"

#ifndef FLAG
#define FLAG memory_order_relaxed
#endif

static atomic_int data, flag;

static void *writer(void *_)
{
    atomic_store_explicit(&data, 1, memory_order_relaxed);
#ifdef FENCE
    atomic_thread_fence(FENCE);
#endif
    atomic_store_explicit(&flag, 1, FLAG);
    return NULL;
}

static void *reader(void *_)
{
    int f = atomic_load_explicit(&flag, memory_order_acquire);
    int d = atomic_load_explicit(&data, memory_order_relaxed);
#ifndef COUNT
    assert(!f || d); /* stale */
#endif
    return (void *)(intptr_t)(f + d);
}

int main(void)
{
    run2(writer, reader);
    return 0;
}
