// What came before a lock is known along a chain of two different locks.
// EXPECT(all): safe
// EXPECT(all -DBROKEN): data-race
#include "races.h"

static int x, stage;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static atomic_int told;

static void *first(void *_)
{
    x = 1;
    pthread_mutex_lock(&m);
    stage = 1;
    pthread_mutex_unlock(&m);
    return _;
}

static void *second(void *_)
{
    int ready;

    pthread_mutex_lock(&m);
    ready = stage;
    pthread_mutex_unlock(&m);
#ifdef BROKEN
    store(told, ready, relaxed);
#else
    pthread_mutex_lock(&n);
    store(told, ready, relaxed);
    pthread_mutex_unlock(&n);
#endif
    return _;
}

static void *third(void *_)
{
    int ready;

    pthread_mutex_lock(&n);
    ready = load(told, relaxed);
    pthread_mutex_unlock(&n);
    if (ready)
        x = 2;
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
