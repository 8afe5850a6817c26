// The last one to let go may destroy: decrements must release, and the last acquire.
// EXPECT(all): safe
// EXPECT(all -DFENCE): safe
// EXPECT(all -DRELAXED): data-race
// EXPECT(all -DRELEASE_ONLY): data-race
#include "races.h"

struct shared {
    atomic_int users;
    int value;
};

static struct shared *shared;

static int let_go(void)
{
#if defined RELAXED
    return atomic_fetch_sub_explicit(&shared->users, 1, memory_order_relaxed) == 1;
#elif defined RELEASE_ONLY
    return atomic_fetch_sub_explicit(&shared->users, 1, memory_order_release) == 1;
#elif defined FENCE
    if (atomic_fetch_sub_explicit(&shared->users, 1, memory_order_release) != 1)
        return 0;
    atomic_thread_fence(memory_order_acquire);
    return 1;
#else
    return atomic_fetch_sub_explicit(&shared->users, 1, memory_order_acq_rel) == 1;
#endif
}

static void *work(void *_)
{
    int value = shared->value;

    if (let_go())
        free(shared);
    (void)value;
    return _;
}

int main(void)
{
    shared = malloc(sizeof *shared);
    atomic_init(&shared->users, 2);
    shared->value = 1;
    run2(work, work);
    return 0;
}
