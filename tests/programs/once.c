// pthread_once: the routine runs once, and is through when any call returns.
// EXPECT(all): safe
// EXPECT(sc -DC11): safe
#include "common.h"
#include <threads.h>

static atomic_int calls, value;

static void routine(void)
{
    calls++;
    store(value, 42);
}

static void *thread(void *_)
{
#ifdef C11
    static once_flag once = ONCE_FLAG_INIT;

    call_once(&once, routine);
#else
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    assert(pthread_once(&once, routine) == 0);
#endif
    assert(load(value) == 42);
    return NULL;
}

int main(void)
{
    run(3, thread);
    assert(calls == 1);
    return 0;
}
