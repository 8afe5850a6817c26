// Who still uses a block that its thread has freed and got again: not found as a use after free, but nothing orders it behind the allocation. If something
// does, nobody can tell it from the new block.
// EXPECT: data-race at=stale
// EXPECT(tso): data-race at=stale
// EXPECT(sc -DWRITE): data-race at=write says=races with the allocation by T1 \(worker\)
// EXPECT(sc -DATOMIC): data-race at=atomic
// EXPECT(sc -DBEFORE): safe
// EXPECT(sc -DHANDED): safe
#include "common.h"

enum { SIZE = 100000, ROUNDS = 400 };

static _Atomic(int *) shared;
static atomic_int ready, done;

static void *worker(void *_)
{
    int *block = NULL, *old = NULL;

    for (int i = 0; i < ROUNDS; i++) { /* then places are used again */
        block = malloc(SIZE);
        free(block);
    }
    old = malloc(SIZE);
    atomic_store_explicit(&shared, old, memory_order_release);
#if defined BEFORE
    if (!atomic_load_explicit(&done, memory_order_acquire))
        return NULL;
#endif
    free(old);
    for (int i = 0; i < ROUNDS && block != old; i++) {
        block = malloc(SIZE);
        if (block != old)
            free(block);
    }
    assert(block == old);
    block[2] = 1;
#ifdef HANDED
    atomic_store_explicit(&ready, 1, memory_order_release);
#endif
    return NULL;
}

static void *user(void *_)
{
    int *block;

#ifdef HANDED
    if (!atomic_load_explicit(&ready, memory_order_acquire))
        return NULL;
#endif
    block = atomic_load_explicit(&shared, memory_order_acquire);
    if (!block)
        return NULL;
#ifdef WRITE
    block[1] = 1; /* write */
#elif defined ATOMIC
    atomic_fetch_add((_Atomic int *)&block[1], 1); /* atomic */
#elif defined HANDED
    assert(block[2] == 1);
#else
    (void)*(volatile char *)block; /* stale */
#endif
#ifdef BEFORE
    atomic_store_explicit(&done, 1, memory_order_release);
#endif
    return NULL;
}

int main(void)
{
    run2(worker, user);
    return 0;
}
