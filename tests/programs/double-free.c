// Two threads free the same block: a crash in any order.
// EXPECT: bug says=free gets a block that was freed before
// EXPECT(sc -DONE): safe
#include "common.h"

static int *_Atomic block;

static void *thread(void *_)
{
#ifdef ONE
    free(atomic_exchange(&block, NULL));
#else
    free(load(block));
#endif
    return NULL;
}

int main(void)
{
    block = malloc(16);
    run(2, thread);
    return 0;
}
