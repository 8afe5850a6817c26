// Ten thousand visible operations in one run, and the same with one race at the end of it.
// EXPECT(all): safe executions=1
// EXPECT(all -DRACE): safe executions=2
// EXPECT(sc -DFAILS): assertion at=end
#include "common.h"

static atomic_int cells[2], last;

static void *thread(void *id)
{
    intptr_t me = (intptr_t)id;

    for (int i = 0; i < 2500; i++)
        store(cells[me], load(cells[me]) + 1);
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
    assert(cells[0] == 2500 && cells[1] == 2500);
    return 0;
}
