// The setter forgets to signal: fine if it comes first, else the waiter sleeps for ever.
// EXPECT: deadlock
// EXPECT(sc -DSIGNAL): safe
#include "common.h"

static int ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *setter(void *_)
{
    pthread_mutex_lock(&m);
    ready = 1;
#ifdef SIGNAL
    pthread_cond_signal(&c);
#endif
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *waiter(void *_)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    run2(setter, waiter);
    return 0;
}
