// Two independent releases: to know of one is not to know of the other.
// EXPECT(all): data-race
// EXPECT(all -DBOTH): safe
#include "races.h"

static int x, y;
static atomic_int fx, fy;

static void *first(void *_)
{
    x = 1;
    store(fx, 1, release);
    return _;
}

static void *second(void *_)
{
    y = 1;
    store(fy, 1, release);
    return _;
}

static void *third(void *_)
{
    int a = load(fx, acquire), b = load(fy, acquire);

#ifdef BOTH
    if (a && b)
        x = y = 2;
#else
    if (a)
        x = y = 2 + b;
#endif
    return _;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, third, NULL);
    run2(first, second);
    pthread_join(t, NULL);
    return 0;
}
