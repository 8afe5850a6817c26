// Ten thousand visible operations in one run, and the same with one race at the end of it. Under tso and pso a load
// of what is still in the buffer is another trace than one of memory, so there the threads only write.
// OPTIONS: --no-commute=increments
// EXPECT: safe executions=1
// EXPECT(sc -DRACE): safe executions=2
// EXPECT(all -DWRITES): safe executions=1
// EXPECT(all -DWRITES -DRACE): safe executions=2
// EXPECT(sc -DFAILS): assertion at=end
#include "common.h"

static atomic_int cells[2], last;

static void *thread(void *id)
{
    intptr_t me = (intptr_t)id;

#ifdef WRITES
    for (int i = 0; i < 5000; i++)
        store(cells[me], i);
#else
    for (int i = 0; i < 2500; i++)
        store(cells[me], load(cells[me]) + 1);
#endif
#if defined RACE || defined FAILS
    atomic_fetch_add(&last, 1);
#endif
#ifdef FAILS
    assert(load(last) == 1); /* end */
#endif
    return NULL;
}

int main(void)
{
    run(2, thread);
#ifndef WRITES
    assert(cells[0] == 2500 && cells[1] == 2500);
#endif
    return 0;
}
