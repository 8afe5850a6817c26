// A block freed by one thread and a new one of another: nothing in common.
// EXPECT(all): safe
#include "races.h"

static void *work(void *_)
{
    for (int i = 0; i < 3; i++) {
        int *block = malloc(sizeof *block);

        *block = i;
        block = realloc(block, 4 * sizeof *block);
        block[3] = i;
        free(block);
    }
    return _;
}

int main(void)
{
    run2(work, work);
    return 0;
}
