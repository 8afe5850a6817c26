// Handlers run at exit and at return from main, the last one first, and only those of this execution.
// OPTIONS: --no-commute=increments
// EXPECT: safe executions=2
// EXPECT(sc -DEXIT): safe executions=2
// EXPECT(sc -DFAILS): assertion at=handler
// EXPECT(sc -DFAILS -DEXIT): assertion at=handler
#include "common.h"

static int calls;
static atomic_int x;

static void first(void)
{
    assert(calls == 1);
#ifdef FAILS
    assert(0); /* handler */
#endif
}

static void second(void)
{
    assert(calls++ == 0);
}

static void *thread(void *_)
{
    atomic_fetch_add(&x, 1);
    return NULL;
}

int main(void)
{
    assert(atexit(first) == 0);
    assert(atexit(second) == 0);
    run(2, thread);
#ifdef EXIT
    exit(0);
#endif
    return 0;
}
