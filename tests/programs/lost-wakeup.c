// The flag is looked at before the mutex is taken: the signal may come between, and nobody hears it.
// EXPECT(all): deadlock says=nobody signals
// EXPECT(sc -DRIGHT): safe
#include "common.h"

static atomic_int ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waiter(void *_)
{
#ifdef RIGHT
    pthread_mutex_lock(&m);
    while (!load(ready))
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
#else
    if (!load(ready)) {
        pthread_mutex_lock(&m);
        pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m);
    }
#endif
    return NULL;
}

static void *setter(void *_)
{
    pthread_mutex_lock(&m);
    store(ready, 1);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    run2(waiter, setter);
    return 0;
}
