// Two threads try one mutex. A try that fails only reads: T1's try and unlock, T2's try before, between or after,
// and the same the other way round: T1 T2 in either order, or T2's failing between T1's two, or T1's between T2's.
// EXPECT(all): safe executions=4
// EXPECT(sc -O2): safe executions=4
// EXPECT(sc -DBUSY): assertion
#include "common.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *_)
{
    if (pthread_mutex_trylock(&m) == 0)
        pthread_mutex_unlock(&m);
#ifdef BUSY
    else
        assert(0);
#endif
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
