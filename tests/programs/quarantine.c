// A thread that allocates and frees without end gets the same memory again, but late: what it freed is first found to be used, or freed twice. What it
// gets is new: zeros, and nobody's. The rest of a place is nobody's, too.
// EXPECT: safe executions=2
// EXPECT(tso): safe executions=2
// EXPECT(pso -O2): safe executions=2
// EXPECT(sc -DSIZE=24 -DROUNDS=400000): safe executions=2
// EXPECT(sc -DSIZE=1000): safe executions=2
// EXPECT(sc -DSIZE=3000000): safe executions=2
// EXPECT(sc -DALIGN=4096): safe executions=2
// EXPECT(sc -DREALLOC): safe executions=2
// EXPECT(sc -DCALM): memory at=late says=use after free: a read of 1 byte.*, 7 bytes into a block that was freed; the block of 100000 bytes was allocated by T1 \(worker\) at .*, and freed by T1
// EXPECT(sc -DLATE): memory at=late says=use after free: a read of 1 byte.*, 7 bytes into a block that was freed; the block of 100000 bytes was allocated by T1 \(worker\) at .*, and freed by T1
// EXPECT(sc -DLATE -DSIZE=24 -DROUNDS=400000): memory at=late says=use after free: a read
// EXPECT(sc -DLATE -DSIZE=3000000): memory at=late says=use after free: a read
// EXPECT(tso -DLATE): memory at=late says=use after free
// EXPECT(sc -DTWICE): memory at=twice says=free gets a block that was freed before
// EXPECT(sc -DBEYOND): memory at=beyond says=a heap overflow: a write of 1 byte, 0 bytes behind the end of a block; the block of 99990 bytes was allocated by T1
// EXPECT(sc -DFAR): memory at=far says=a heap overflow: a write of 1 byte, 90 bytes behind the end of a block; the block of 99900 bytes was allocated by T1
#include "common.h"
#include <string.h>

#ifndef SIZE
#define SIZE 100000
#endif
#ifndef ROUNDS
#define ROUNDS (SIZE < 10000 ? 20000 : 400)
#endif

static atomic_int turn;

static char *get(size_t size)
{
#if defined ALIGN
    char *block = aligned_alloc(ALIGN, size);

    assert((uintptr_t)block % ALIGN == 0);
#elif defined REALLOC
    char *block = realloc(calloc(1, 10), size);
#else
    char *block = calloc(1, size);
#endif
    return block;
}

/* Whether it got memory again that it had before; never one of the last few. */
static int churn(int rounds)
{
    char *place = NULL, *last[15] = {0};
    int again = 0;

    for (int i = 0; i < rounds; i++) {
        char *block = get(SIZE);

        assert(block && !block[0] && !block[SIZE / 2] && !block[SIZE - 1]);
        block[0] = block[SIZE / 2] = block[SIZE - 1] = 1;
        for (int j = 0; j < 15; j++)
            assert(last[j] != block);
        last[i % 15] = block;
        again += block == place;
        if (i == rounds / 2)
            place = block;
        free(block);
    }
    return again;
}

static void *worker(void *_)
{
    char *block = NULL;

    atomic_exchange(&turn, 1); /* and no store waits */
#ifndef CALM
    assert(churn(ROUNDS) > 0); /* again */
#endif
#if defined CALM || defined LATE
    block = get(SIZE);
    free(block);
    churn(10);
    assert(!block[7]); /* late */
#elif defined TWICE
    block = get(SIZE);
    free(block);
    churn(10);
    free(block); /* twice */
#elif defined BEYOND
    block = get(99990);
    block[99990] = 1; /* beyond */
#elif defined FAR
    block = get(99900);
    block[99990] = 1; /* far */
#endif
    return block;
}

static void *watcher(void *_)
{
    load(turn);
    return NULL;
}

int main(void)
{
    run2(worker, watcher);
    return 0;
}
