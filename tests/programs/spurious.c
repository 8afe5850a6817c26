// A condition may wake a thread without a signal: `if` instead of `while` is wrong, and shows only when asked for.
// EXPECT(all): safe
// OPTIONS: --spurious-wakeups 1
// EXPECT(sc -DWITH_IF): assertion at=here
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
