// Peterson's mutual exclusion. A fence before looking at the other one's flag is enough for tso. Under pso the
// turn may become visible before the flag: T0's turn leaves, T1 raises its flag, takes the turn, sees no flag and
// enters; then T0's flag leaves, and T0 finds the turn to be its own.
// EXPECT: safe
// EXPECT(tso,pso): assertion
// EXPECT(sc,tso -DFENCE_LAST): safe
// EXPECT(pso -DFENCE_LAST): assertion
// EXPECT(all -DFENCE_LAST -DTURN=memory_order_release): safe
// EXPECT(all -DFENCED): safe
// EXPECT(all -DTURN=memory_order_seq_cst): safe
#include "critical.h"

#ifndef TURN
#define TURN memory_order_relaxed
#endif

static atomic_int flag[2], turn;

static void *thread(void *id)
{
    int me = (int)(intptr_t)id, other = 1 - me;

    store(flag[me], 1);
    atomic_store_explicit(&turn, other, TURN);
#if defined FENCE_LAST || defined FENCED
    atomic_thread_fence(memory_order_seq_cst);
#endif
    if (load(flag[other]))
        raddle_assume(load(turn) == me);
    critical_section();
    store(flag[me], 0);
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
