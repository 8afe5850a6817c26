// What a report says: both accesses with their stacks, the memory, where the threads come from.
// EXPECT: data-race says=^  previous (read|write) of size 4 at 0x[0-9a-f]+ by thread [12]:$
// EXPECT: data-race says=^    #0 bump .*report.c:[0-9]+
// EXPECT: data-race says=^    #1 work .*report.c:[0-9]+
// EXPECT: data-race says=^  the memory is byte 4 of the global variable 'pair'$
// EXPECT: data-race says=^  thread [12] was created by thread 0:$
#include "races.h"

static int pair[2];

static void bump(int *number)
{
    (*number)++;
}

static void *work(void *_)
{
    bump(&pair[1]);
    return _;
}

int main(void)
{
    run2(work, work);
    return 0;
}
