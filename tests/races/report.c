// What a report says: both accesses with their stacks, the memory, where the threads come from.
// EXPECT: data-race says=^  earlier (read|write) of .* \(4 bytes\) by T[12] \([a-z]+\), holding no lock:$
// EXPECT: data-race says=^    #0 bump .*report.c:[0-9]+
// EXPECT: data-race says=^    #1 work .*report.c:[0-9]+
// EXPECT: data-race says=^  the memory is byte 4 of the global variable 'pair'$
// EXPECT: data-race says=^  T[12] \([a-z]+\) was created by T0 \(main\) in .* at .*report.c:[0-9]+
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
