// Dekker's mutual exclusion, each thread enters once; the same operations as examples/scripts/dekker.script.
// EXPECT: safe executions=8 blocked=10
// EXPECT(sc -O2): safe executions=8 blocked=10
// EXPECT(tso,pso): assertion
// EXPECT(tso,pso -O2): assertion
// EXPECT(all -DFENCED): safe executions=8
#include "critical.h"

static atomic_int flag[2], turn;

static void *thread(void *id)
{
    int me = (int)(intptr_t)id, other = 1 - me;

    store(flag[me], 1);
    if (load(flag[other])) {
        if (load(turn) != me) {
            store(flag[me], 0);
            raddle_assume(load(turn) == me);
            store(flag[me], 1);
        }
        raddle_assume(load(flag[other]) == 0);
    }
    critical_section();
    store(turn, other);
    store(flag[me], 0);
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
