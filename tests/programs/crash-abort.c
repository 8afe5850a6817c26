// abort, if a thread sees the other's store.
// EXPECT(all): crash at=abort says=abort
// EXPECT(sc -DRAISE): crash
#include "common.h"
#include <signal.h>

static atomic_int x;

static void *reads(void *_)
{
    if (load(x)) {
#ifdef RAISE
        raise(SIGABRT);
#endif
        abort(); /* abort */
    }
    return NULL;
}

static void *writes(void *_)
{
    store(x, 1);
    return NULL;
}

int main(void)
{
    run2(reads, writes);
    return 0;
}
