// A thread that may be cancelled anywhere is cancelled while it waits for a lock, and in a loop of operations. Where it has none, nobody
// looks: so the verdict says that this was not all.
// EXPECT(sc): incomplete says=asynchronous cancellation
// EXPECT(sc -DLOOP): incomplete says=asynchronous cancellation
// EXPECT(sc -DKEPT): deadlock
#include "common.h"
#include <sched.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *victim(void *_)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
#ifdef LOOP
    for (;;)
        sched_yield();
#else
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#endif
    return NULL;
}

int main(void)
{
    pthread_t t;
    void *returned;

#ifndef KEPT
    pthread_mutex_lock(&m);
#endif
    pthread_create(&t, NULL, victim, NULL);
    pthread_cancel(t);
    pthread_join(t, &returned);
#ifdef KEPT
    pthread_mutex_lock(&m); /* cancelled while it held it */
#else
    assert(returned == PTHREAD_CANCELED);
#endif
    return 0;
}
