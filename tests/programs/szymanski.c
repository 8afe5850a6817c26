// Szymanski's mutual exclusion, two threads.
// EXPECT: safe
// EXPECT(tso,pso): assertion
// EXPECT(all -DFENCED): safe
#include "critical.h"

static atomic_int flag[2];

static void *thread(void *id)
{
    int me = (int)(intptr_t)id, other = 1 - me, f;

    store(flag[me], 1);
    raddle_assume(load(flag[other]) < 3);
    store(flag[me], 3);
    if (load(flag[other]) == 1) {
        store(flag[me], 2);
        raddle_assume(load(flag[other]) == 4);
    }
    store(flag[me], 4);
    if (other < me)
        raddle_assume(load(flag[other]) < 2);
    critical_section();
    if (other > me) {
        f = load(flag[other]);
        raddle_assume(f < 2 || f > 3);
    }
    store(flag[me], 0);
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
