// A thread-local variable whose address is given away is shared like any other.
// The owner must not end while the other may still use it: else that is a bug of another kind.
// EXPECT: assertion at=seen
// EXPECT(sc -DHASTY): memory at=used says=use of the stack of T1 \([a-z_0-9]+\), which has ended
#include "common.h"

static _Thread_local atomic_int local;
static _Atomic(atomic_int *) where;
static atomic_int done;

static void *owner(void *_)
{
    where = &local;
#ifndef HASTY
    assert(load(local) == 0); /* seen */
    while (!done)
        ;
#endif
    return NULL;
}

static void *other(void *_)
{
    atomic_int *p = where;

    assert(p != &local);
    if (p)
        store(*p, 1); /* used */
    done = 1;
    return NULL;
}

int main(void)
{
    run2(owner, other);
    return 0;
}
