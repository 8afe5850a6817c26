// A fast thread is in the next phase already, and writes what the slow one has yet to read.
// EXPECT(all): data-race
#include "races.h"

static int x;
static pthread_barrier_t barrier;

static void *first(void *_)
{
    x = 1;
    pthread_barrier_wait(&barrier);
    x = 2;
    pthread_barrier_wait(&barrier);
    return _;
}

static void *second(void *_)
{
    pthread_barrier_wait(&barrier);
    assert(x);
    pthread_barrier_wait(&barrier);
    return _;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run2(first, second);
    return 0;
}
