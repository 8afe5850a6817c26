// Burns's mutual exclusion with one bit a thread, two threads; the second may have to try again, twice at most.
// EXPECT: safe
// EXPECT(tso,pso): assertion
// EXPECT(all -DFENCED): safe
#include "critical.h"

static atomic_int flag[2];

static int enter(int me)
{
    store(flag[me], 0);
    if (me == 1 && load(flag[0]))
        return 0;
    store(flag[me], 1);
    if (me == 1 && load(flag[0]))
        return 0;
    if (me == 0)
        raddle_assume(load(flag[1]) == 0);
    return 1;
}

static void *thread(void *id)
{
    int me = (int)(intptr_t)id;

    if (!enter(me))
        raddle_assume(enter(me));
    critical_section();
    store(flag[me], 0);
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
