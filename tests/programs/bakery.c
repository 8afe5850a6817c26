// Lamport's bakery, two threads. The loops that wait are one look and an assumption.
// EXPECT: safe
// EXPECT(tso,pso): assertion
// EXPECT(all -DFENCED): safe
#include "critical.h"

static atomic_int choosing[2], number[2];

static void *thread(void *id)
{
    int me = (int)(intptr_t)id, other = 1 - me, mine, theirs;

    store(choosing[me], 1);
    mine = load(number[other]) + 1;
    store(number[me], mine);
    store(choosing[me], 0);
    raddle_assume(load(choosing[other]) == 0);
    theirs = load(number[other]);
    raddle_assume(theirs == 0 || theirs > mine || (theirs == mine && other > me));
    critical_section();
    store(number[me], 0);
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
