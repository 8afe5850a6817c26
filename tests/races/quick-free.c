// A block that the thread itself has just used is freed: known bytes are not known any more. And one that another thread frees.
// EXPECT(all): memory at=after
// EXPECT(all -O1): memory at=after
// EXPECT(all -O2): memory at=after
// EXPECT(all -O1 -DOTHER): data-race
// EXPECT(all -O1 -DBEYOND): memory at=beyond
#include "races.h"

static int *block;

static void *first(void *_)
{
    int *own = malloc(16 * sizeof *own);

    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 16; i++)
            own[i] += round;
#ifdef BEYOND
    for (int i = 0; i <= 16; i++)
        own[i] += 1; /* beyond */
#endif
#if !defined BEYOND && !defined OTHER
    free(own);
    for (int i = 0; i < 16; i++)
        own[i] += 1; /* after */
#endif
    for (int i = 0; i < 16; i++)
        block[i]++;
    return _;
}

static void *second(void *_)
{
#ifdef OTHER
    free(block);
#endif
    return _;
}

int main(void)
{
    block = calloc(16, sizeof *block);
    run2(first, second);
    return 0;
}
