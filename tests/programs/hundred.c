// A hundred threads that do not meet; the same with one pair that does.
// OPTIONS: --no-commute=increments
// EXPECT(all): safe executions=1 threads=101
// EXPECT(all -DPAIR): safe executions=2 threads=101
#include "common.h"

static atomic_int cells[100], shared;

static void *thread(void *id)
{
    intptr_t me = (intptr_t)id;

    store(cells[me], 1);
#ifdef PAIR
    if (me == 3 || me == 97)
        atomic_fetch_add(&shared, 1);
#endif
    return NULL;
}

int main(void)
{
    run(100, thread);
    return 0;
}
