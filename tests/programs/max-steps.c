// A run that does not end is cut off, and that is said.
// OPTIONS: --max-steps 1000
// EXPECT: incomplete says=maximum number of steps
#include "common.h"

static atomic_uint x;

static void *thread(void *_)
{
    for (;;)
        atomic_fetch_add(&x, 1);
    return NULL;
}

int main(void)
{
    run(1, thread);
    return 0;
}
