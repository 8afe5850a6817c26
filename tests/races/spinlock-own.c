// A spinlock of one's own: exchange with acquire, store with release.
// EXPECT(all): safe
// EXPECT(all -DRELAXED_LOCK): data-race
// EXPECT(all -DRELAXED_UNLOCK): data-race
// EXPECT(all -DFLAG): safe
#include "races.h"

static int x;
#ifdef FLAG
static atomic_flag held = ATOMIC_FLAG_INIT;
#define LOCK   while (atomic_flag_test_and_set(&held))
#define UNLOCK atomic_flag_clear(&held)
#else
static atomic_int held;
#ifdef RELAXED_LOCK
#define LOCK while (atomic_exchange_explicit(&held, 1, memory_order_relaxed))
#else
#define LOCK while (atomic_exchange_explicit(&held, 1, memory_order_acquire))
#endif
#ifdef RELAXED_UNLOCK
#define UNLOCK store(held, 0, relaxed)
#else
#define UNLOCK store(held, 0, release)
#endif
#endif

static void *work(void *_)
{
    LOCK
        ;
    x++;
    UNLOCK;
    return _;
}

int main(void)
{
    run2(work, work);
    return 0;
}
