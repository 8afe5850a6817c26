// A release fence covers what came before it, not what comes between it and the store.
// EXPECT(all): data-race
// EXPECT(all -DBEFORE): safe
#include "races.h"

static int data;
static atomic_int flag;

static void *first(void *_)
{
#ifdef BEFORE
    data = 1;
#endif
    atomic_thread_fence(memory_order_release);
#ifndef BEFORE
    data = 1;
#endif
    store(flag, 1, relaxed);
    return _;
}

static void *second(void *_)
{
    if (load(flag, acquire))
        data = 2;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
