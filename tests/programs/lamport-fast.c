// Lamport's fast mutual exclusion, two threads, two tries each. Without contention it reads back its own store,
// which a buffer hides from the other thread.
// EXPECT: safe
// EXPECT(tso,pso): assertion
// EXPECT(all -DFENCED): safe
#include "critical.h"

static atomic_int b[2], x, y; /* x, y: the number of a thread plus 1, or 0 */

static int enter(int me)
{
    store(b[me], 1);
    store(x, me + 1);
    if (load(y) != 0) {
        store(b[me], 0);
        raddle_assume(load(y) == 0);
        return 0;
    }
    store(y, me + 1);
    if (load(x) != me + 1) {
        store(b[me], 0);
        raddle_assume(load(b[1 - me]) == 0);
        if (load(y) != me + 1) {
            raddle_assume(load(y) == 0);
            return 0;
        }
    }
    return 1;
}

static void *thread(void *id)
{
    int me = (int)(intptr_t)id;

    if (!enter(me))
        raddle_assume(enter(me));
    critical_section();
    store(y, 0);
    store(b[me], 0);
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
