// A thread-local variable whose address is given away is shared like any other.
// EXPECT: assertion at=seen
#include "common.h"

static _Thread_local atomic_int local;
static _Atomic(atomic_int *) where;

static void *owner(void *_)
{
    where = &local;
    assert(load(local) == 0); /* seen */
    return NULL;
}

static void *other(void *_)
{
    atomic_int *p = where;

    assert(p != &local);
    if (p)
        store(*p, 1);
    return NULL;
}

int main(void)
{
    run2(owner, other);
    return 0;
}
