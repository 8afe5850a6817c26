// A pointer to a variable on the stack of a thread that has ended.
// EXPECT: memory at=use says=the stack of T1 \([a-z_0-9]+\), which has ended
// EXPECT(sc -DWAITS): safe
#include "common.h"

static _Atomic(int *) shared;
static atomic_int done;

static void *owner(void *_)
{
    int local = 7;

    atomic_store(&shared, &local);
#ifdef WAITS
    while (!atomic_load(&done))
        ;
#endif
    return NULL;
}

static void *user(void *_)
{
    int *p = atomic_load(&shared);

    if (p)
        assert(*p == 7); /* use */
    atomic_store(&done, 1);
    return NULL;
}

int main(void)
{
    run2(owner, user);
    return 0;
}
