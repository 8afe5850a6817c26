// The bakery without the choosing flag is wrong even under sc: T1 takes a number and looks around while T0 has
// computed the same number, but not written it yet.
// EXPECT: assertion
// EXPECT(tso,pso): assertion
#include "critical.h"

static atomic_int number[2];

static void *thread(void *id)
{
    int me = (int)(intptr_t)id, other = 1 - me, mine, theirs;

    mine = load(number[other]) + 1;
    store(number[me], mine);
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
