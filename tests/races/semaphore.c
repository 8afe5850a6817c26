// A post comes before the wait that it lets through.
// EXPECT(all): safe
// EXPECT(all -DINITIAL=1): data-race
// EXPECT(all -DLATE): data-race
#include "races.h"

#ifndef INITIAL
#define INITIAL 0
#endif

static int x;
static sem_t ready;

static void *first(void *_)
{
    x = 1;
    sem_post(&ready);
#ifdef LATE
    x = 3;
#endif
    return _;
}

static void *second(void *_)
{
    sem_wait(&ready);
    x = 2;
    return _;
}

int main(void)
{
    sem_init(&ready, 0, INITIAL);
    run2(first, second);
    return 0;
}
