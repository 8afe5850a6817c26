// A constructor that fails is a bug of the program, like any other place; one that ends the program ends it.
// EXPECT: assertion at=failed
// EXPECT(sc -DCRASHES): crash at=crashed
// EXPECT(sc -DABORTS): crash at=aborted
// EXPECT(sc -DENDS): safe executions=1
// EXPECT(sc -DQUICKLY): safe executions=1
#include <stdlib.h>
#include <unistd.h>

#include "common.h"

static volatile int zero;

static __attribute__((constructor)) void fail(void)
{
#ifdef CRASHES
    *(volatile int *)(long)zero = 1; /* crashed */
#elif defined ABORTS
    abort(); /* aborted */
#elif defined ENDS
    exit(0);
#elif defined QUICKLY
    _exit(0);
#else
    assert(zero == 1); /* failed */
#endif
}

int main(void)
{
    assert(zero == 2);
    return 0;
}
