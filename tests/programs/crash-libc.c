// A crash inside the C library, and a program that goes on being explored after it: both bugs are found.
// OPTIONS: --keep-going
// EXPECT: bug bugs=2
#include "common.h"
#include <string.h>

static atomic_int x;

static void *reads(void *_)
{
    if (load(x) == 1)
        printf("%zu\n", strlen((const char *)(intptr_t)load(x)));
    else if (load(x) == 1)
        assert(0);
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
