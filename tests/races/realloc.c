// realloc gives the old block back.
// EXPECT(all): data-race
#include "races.h"

static int *block;

static void *first(void *_)
{
    int *bigger = realloc(block, 100);

    bigger[3] = 1;
    return _;
}

static void *second(void *_)
{
    block[1] = 1;
    return _;
}

int main(void)
{
    block = calloc(2, sizeof *block);
    run2(first, second);
    return 0;
}
