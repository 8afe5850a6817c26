// pthread_once: the routine runs once, and is through when any call returns.
// Only who is the first makes a difference.
// EXPECT(all): safe
// EXPECT(sc): safe executions=3
// EXPECT(sc -DTHREADS=7): safe executions=7
// EXPECT(sc -DC11): safe executions=3
// EXPECT(sc -DAGAIN): safe
// EXPECT(sc -DAFTER): data-race
#include "common.h"
#include <threads.h>

#ifndef THREADS
#define THREADS 3
#endif

static int calls, value, after;

static void routine(void)
{
    calls++;
    value = 42;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *thread(void *_)
{
#ifdef C11
    static once_flag flag = ONCE_FLAG_INIT;

    call_once(&flag, routine);
#else
    assert(pthread_once(&once, routine) == 0);
#endif
    assert(value == 42);
#ifdef AFTER
    after++; /* nothing orders those that come later */
#endif
    return NULL;
}

int main(void)
{
    run(THREADS, thread);
    assert(calls == 1);
#ifdef AGAIN
    for (int i = 2; i < 4; i++) {
        once = (pthread_once_t)PTHREAD_ONCE_INIT;
        run(2, thread);
        assert(calls == i);
    }
#endif
    (void)once;
    (void)after;
    return 0;
}
