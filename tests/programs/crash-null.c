// A null pointer is written to, but only if the other thread was faster.
// EXPECT(all): crash at=null says=invalid access
// EXPECT(sc -O2): crash at=null
// EXPECT(sc -DREAD): crash at=read
#include "common.h"

static int thing = 1;
static int *_Atomic pointer = &thing;

static void *user(void *_)
{
    if (load(pointer))
#ifdef READ
        assert(*load(pointer) == 1); /* read */
#else
        *load(pointer) = 2; /* null */
#endif
    return NULL;
}

static void *resetter(void *_)
{
    store(pointer, NULL);
    return NULL;
}

int main(void)
{
    run2(user, resetter);
    return 0;
}
