// A trylock that got the lock orders, one that did not does not.
// EXPECT(all): safe
// EXPECT(all -DFAILED): data-race
#include "races.h"

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *_)
{
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    return _;
}

static void *second(void *_)
{
    if (pthread_mutex_trylock(&m) == 0) {
        x = 2;
        pthread_mutex_unlock(&m);
    } else {
#ifdef FAILED
        x = 3;
#endif
    }
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
