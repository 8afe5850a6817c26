// A release by one who acquired hands on what it learned.
// EXPECT(all): safe
// EXPECT(all -DBROKEN): data-race
#include "races.h"

static int data;
static atomic_int x, y;

static void *first(void *_)
{
    data = 1;
    store(x, 1, release);
    return _;
}

static void *second(void *_)
{
#ifdef BROKEN
    if (load(x, relaxed))
#else
    if (load(x, acquire))
#endif
        store(y, 1, release);
    return _;
}

static void *third(void *_)
{
    if (load(y, acquire))
        data = 2;
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
