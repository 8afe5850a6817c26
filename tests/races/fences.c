// Relaxed accesses with fences: a release fence before the store, an acquire fence after the load. One alone is not enough.
// EXPECT(all -DRELEASE -DACQUIRE): safe
// EXPECT(all -DRELEASE): data-race
// EXPECT(all -DACQUIRE): data-race
// EXPECT(all -DSEQ_CST): safe
// EXPECT(all -DRELEASE -DACQUIRING_LOAD): safe
// EXPECT(all -DACQUIRE -DRELEASING_STORE): safe
// EXPECT(all -DLATE): data-race
#include "races.h"

static int data;
static atomic_int flag;

static void *first(void *_)
{
    data = 1;
#if defined RELEASE
    atomic_thread_fence(memory_order_release);
#elif defined SEQ_CST
    atomic_thread_fence(memory_order_seq_cst);
#endif
#ifdef RELEASING_STORE
    store(flag, 1, release);
#else
    store(flag, 1, relaxed);
#endif
#ifdef LATE
    atomic_thread_fence(memory_order_seq_cst);
#endif
    return _;
}

static void *second(void *_)
{
    int ready;

#ifdef LATE
    atomic_thread_fence(memory_order_seq_cst);
#endif
#ifdef ACQUIRING_LOAD
    ready = load(flag, acquire);
#else
    ready = load(flag, relaxed);
#endif
#if defined ACQUIRE
    atomic_thread_fence(memory_order_acquire);
#elif defined SEQ_CST
    atomic_thread_fence(memory_order_seq_cst);
#endif
    if (ready)
        data = 2;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
