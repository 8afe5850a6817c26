// Dijkstra's mutual exclusion (1965), two threads, at most three rounds of the loop.
// EXPECT: safe
// EXPECT(tso,pso): assertion
// EXPECT(all -DFENCED): safe
#include "critical.h"

static atomic_int wants[2], enters[2], turn;

/* One round; true if the thread may go in. */
static int round_of(int me)
{
    int t = load(turn);

    if (t != me) {
        store(enters[me], 0);
        if (!load(wants[t]))
            store(turn, me);
        return 0;
    }
    store(enters[me], 1);
    return !load(enters[1 - me]);
}

static void *thread(void *id)
{
    int me = (int)(intptr_t)id, in = 0;

    store(wants[me], 1);
    for (int i = 0; i < 3 && !in; i++)
        in = round_of(me);
    raddle_assume(in);
    critical_section();
    store(enters[me], 0);
    store(wants[me], 0);
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
