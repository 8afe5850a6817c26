// malloc, calloc, realloc, aligned_alloc and free in threads; blocks go from one thread to another.
// EXPECT: safe executions=2
// EXPECT(sc -O2): safe executions=2
#include "common.h"
#include <string.h>

static int *_Atomic handed;

static void *giver(void *_)
{
    int *block = malloc(4 * sizeof *block), *zeros = calloc(100, sizeof *zeros);
    char *aligned = aligned_alloc(64, 128);

    assert(block && zeros && aligned && (uintptr_t)aligned % 64 == 0);
    for (int i = 0; i < 100; i++)
        assert(zeros[i] == 0);
    memset(zeros, 1, 100 * sizeof *zeros);
    free(zeros);
    free(aligned);
    free(NULL);
    for (int i = 0; i < 4; i++)
        block[i] = i;
    block = realloc(block, 1000 * sizeof *block);
    assert(block[3] == 3);
    atomic_store_explicit(&handed, block, memory_order_release);
    return NULL;
}

static void *taker(void *_)
{
    int *block = atomic_load_explicit(&handed, memory_order_acquire);

    if (block) {
        assert(block[0] == 0 && block[3] == 3);
        free(block);
    }
    return block;
}

int main(void)
{
    run2(giver, taker);
    return 0;
}
