// After a thread has crashed the others go on: what they do could have come before. One run of each order: the
// store before the load, or after it.
// OPTIONS: --keep-going
// EXPECT: bug bugs=1 executions=2
#include "common.h"

static atomic_int x;

static void *reads(void *_)
{
    if (load(x))
        abort();
    return NULL;
}

static void *writes(void *_)
{
    store(x, 1);
    return NULL;
}

int main(void)
{
    run2(reads, writes);
    return 0;
}
