// The same without spurious wake-ups: both are correct.
// EXPECT(sc): safe
// EXPECT(sc -DWITH_IF): safe

#include "common.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waits(void *_)
{
    pthread_mutex_lock(&m);
#ifdef WITH_IF
    if (!ready)
#else
    while (!ready)
#endif
        pthread_cond_wait(&c, &m);
    assert(ready); /* here */
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *wakes(void *_)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    run2(waits, wakes);
    return 0;
}
