// A ticket lock: who is served learns what the one before did.
// EXPECT(all): safe
// EXPECT(all -DRELAXED): data-race
#include "races.h"

static int x;
static atomic_int next, serving;

static void *work(void *_)
{
    int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);

#ifdef RELAXED
    while (load(serving, relaxed) != mine)
        ;
#else
    while (load(serving, acquire) != mine)
        ;
#endif
    x++;
    store(serving, mine + 1, release);
    return _;
}

int main(void)
{
    run2(work, work);
    return 0;
}
