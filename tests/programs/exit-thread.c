// A thread calls exit(3) while main waits for a mutex that is never free: the process ends, no deadlock. What main does
// before is still explored: its assertion may fail before the exit.
// OPTIONS: --exit-ok
// EXPECT: safe
// EXPECT(sc -DFAILS): assertion at=before
#include "common.h"

static atomic_int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *leaves(void *_)
{
    store(x, 1);
    exit(3);
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, leaves, NULL);
#ifdef FAILS
    assert(load(x) == 0); /* before */
#endif
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}
