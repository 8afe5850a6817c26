// A lock taken and released with nothing between still orders; in the other order the write races.
// EXPECT(all): data-race
// EXPECT(all -DGUARDED): safe
#include "races.h"

static int x;
static int done;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *_)
{
    x = 1;
    pthread_mutex_lock(&m);
    done = 1;
    pthread_mutex_unlock(&m);
    return _;
}

static void *second(void *_)
{
    int ready;

    pthread_mutex_lock(&m);
    ready = done;
    pthread_mutex_unlock(&m);
#ifndef GUARDED
    ready = 1;
#endif
    if (ready)
        x = 2;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
