// Peterson's mutual exclusion, each thread enters twice.
// EXPECT: safe
// EXPECT(tso,pso): assertion
// EXPECT(all -DFENCED): safe
#include "critical.h"

static atomic_int flag[2], turn;

static void *thread(void *id)
{
    int me = (int)(intptr_t)id, other = 1 - me;

    for (int i = 0; i < 2; i++) {
        store(flag[me], 1);
        store(turn, other);
        if (load(flag[other]))
            raddle_assume(load(turn) == me);
        critical_section();
        store(flag[me], 0);
    }
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
