// Phases kept apart by a barrier; writing after it without another one races.
// EXPECT(all): safe
// EXPECT(all -DTWICE): safe
// EXPECT(all -DSAME_PHASE): data-race
#include "races.h"

static int x[2];
static pthread_barrier_t barrier;

static void work(int me)
{
    x[me] = 1;
#ifndef SAME_PHASE
    pthread_barrier_wait(&barrier);
#endif
    assert(x[1 - me] >= 0);
#ifdef TWICE
    pthread_barrier_wait(&barrier);
    x[me] = 2;
    pthread_barrier_wait(&barrier);
    assert(x[1 - me] == 2);
#endif
}

static void *first(void *_)
{
    work(0);
    return _;
}

static void *second(void *_)
{
    work(1);
    return _;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run2(first, second);
    return 0;
}
