// A wait that ends by time has the mutex, but was told nothing.
// EXPECT(all): safe
// EXPECT(all -DTRUSTS): data-race
#include "races.h"

static int x, ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *_)
{
    x = 1;
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return _;
}

static void *second(void *_)
{
    struct timespec until = {0};
    int told;

    pthread_mutex_lock(&m);
    if (!ready)
        pthread_cond_timedwait(&c, &m, &until);
    told = ready;
    pthread_mutex_unlock(&m);
#ifdef TRUSTS
    told = 1;
#endif
    if (told)
        x = 2;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
