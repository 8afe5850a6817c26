// Without the search for races, too, a free may come before or after what others do with the block.
// OPTIONS: --races=ignore
// EXPECT: memory at=use says=use after free
// EXPECT(tso): memory at=use
// EXPECT(sc -DORDERED): safe
// EXPECT(sc -DLARGE -DORDERED): incomplete says=free of a block of more than 64 KiB
#include "common.h"

#ifdef LARGE
#define SIZE 100000
#else
#define SIZE 100
#endif

static char *block;
static atomic_int done;

static void *frees(void *_)
{
#ifdef ORDERED
    while (!done)
        ;
#endif
    free(block);
    return NULL;
}

static void *uses(void *_)
{
    assert(block[50] == 0); /* use */
    done = 1;
    return NULL;
}

int main(void)
{
    block = calloc(1, SIZE);
    run2(uses, frees);
    return 0;
}
