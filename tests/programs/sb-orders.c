// Store buffering with stores and loads of each order: only seq_cst stores, or a fence between, forbid 0 0.
// EXPECT: safe executions=3
// EXPECT(tso,pso -DSTORE=memory_order_relaxed): safe executions=4
// EXPECT(tso,pso -DSTORE=memory_order_release): safe executions=4
// EXPECT(tso,pso -DSTORE=memory_order_release -DLOAD=memory_order_acquire): safe executions=4
// EXPECT(tso,pso -DSTORE=memory_order_release -DLOAD=memory_order_seq_cst): safe executions=4
// EXPECT(all -DSTORE=memory_order_seq_cst): safe executions=3
// EXPECT(tso,pso -DFENCE=memory_order_acq_rel): safe executions=4
// EXPECT(tso,pso -DFENCE=memory_order_release): safe executions=4
// EXPECT(tso,pso -DFENCE=memory_order_acquire): safe executions=4
// EXPECT(all -DFENCE=memory_order_seq_cst): safe executions=3
// EXPECT(all -DMFENCE): safe executions=3
// EXPECT(all -DEXCHANGE): safe executions=3
#include "common.h"

#ifndef STORE
#define STORE memory_order_relaxed
#endif
#ifndef LOAD
#define LOAD memory_order_relaxed
#endif

static atomic_int x, y;

static void write_one(atomic_int *p)
{
#ifdef EXCHANGE
    atomic_exchange_explicit(p, 1, memory_order_relaxed);
#else
    atomic_store_explicit(p, 1, STORE);
#endif
#ifdef FENCE
    atomic_thread_fence(FENCE);
#endif
#ifdef MFENCE
    __asm__ volatile("mfence" ::: "memory");
#endif
}

static void *t1(void *_)
{
    write_one(&x);
    return (void *)(intptr_t)atomic_load_explicit(&y, LOAD);
}

static void *t2(void *_)
{
    write_one(&y);
    return (void *)(intptr_t)atomic_load_explicit(&x, LOAD);
}

int main(void)
{
    run2(t1, t2);
    return 0;
}
