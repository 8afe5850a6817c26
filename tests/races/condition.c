// The mutex of the condition orders. Without it in the writer nothing does.
// EXPECT(all): safe
// EXPECT(all -DBROADCAST): safe
// EXPECT(all -DUNLOCKED): data-race
#include "races.h"

static int ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *_)
{
#ifndef UNLOCKED
    pthread_mutex_lock(&m);
#endif
    ready = 1;
#ifdef BROADCAST
    pthread_cond_broadcast(&c);
#else
    pthread_cond_signal(&c);
#endif
#ifndef UNLOCKED
    pthread_mutex_unlock(&m);
#endif
    return _;
}

static void *second(void *_)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    ready = 2;
    pthread_mutex_unlock(&m);
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
