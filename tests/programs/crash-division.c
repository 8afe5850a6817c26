// A division by what another thread may have set to 0.
// EXPECT(all): crash says=arithmetic
// EXPECT(sc -O2): crash
#include "common.h"

static atomic_int divisor = 1, result;

static void *divides(void *_)
{
    store(result, 10 / load(divisor));
    return NULL;
}

static void *clears(void *_)
{
    store(divisor, 0);
    return NULL;
}

int main(void)
{
    run2(divides, clears);
    return 0;
}
