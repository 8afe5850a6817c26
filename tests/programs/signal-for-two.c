// One signal, two waiters: one of them stays; a broadcast wakes both.
// EXPECT: deadlock
// EXPECT(sc -DBROADCAST): safe
#include "common.h"

static int ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *thread(void *id)
{
    pthread_mutex_lock(&m);
    if (id == NULL) {
        ready = 1;
#ifdef BROADCAST
        pthread_cond_broadcast(&c);
#else
        pthread_cond_signal(&c);
#endif
    } else {
        while (!ready)
            pthread_cond_wait(&c, &m);
    }
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    run(3, thread);
    return 0;
}
