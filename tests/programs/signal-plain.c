// A handler that uses plain memory could come between two plain accesses of its thread, which is not tried: said.
// EXPECT: incomplete says=not modelled: plain memory in a handler of signals
// EXPECT(sc -DVOLATILE): safe
#include "common.h"
#include <signal.h>

#ifdef VOLATILE
static volatile sig_atomic_t count;
#else
static int count;
#endif
static atomic_int step;

static void handler(int number)
{
    count = number;
}

static void *works(void *_)
{
    for (int i = 0; i < 2; i++)
        atomic_fetch_add(&step, 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;

    signal(SIGUSR1, handler);
    assert(pthread_create(&thread, NULL, works, NULL) == 0);
    pthread_kill(thread, SIGUSR1);
    assert(pthread_join(thread, NULL) == 0);
    return 0;
}
