// The buffer with one condition for both sides: a consumer's signal may wake the other consumer, and the producer
// that waits for room sleeps for ever. A broadcast instead of the signal mends it.
// EXPECT: deadlock says=waits for
// EXPECT(tso,pso): deadlock
// EXPECT(sc -DBROADCAST): safe
#include "common.h"

#ifdef BROADCAST
#define wake pthread_cond_broadcast
#else
#define wake pthread_cond_signal
#endif

static int slot;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *thread(void *id)
{
    int full = (intptr_t)id < 2 ? 1 : 0;

    pthread_mutex_lock(&m);
    while (slot == full)
        pthread_cond_wait(&changed, &m);
    slot = full;
    wake(&changed);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    run(4, thread);
    return 0;
}
