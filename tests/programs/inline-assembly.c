// Atomic idioms in assembly are understood: a locked increment and an exchange.
// OPTIONS: --no-commute=increments
// EXPECT(all): safe executions=2
// EXPECT(sc -O2): safe executions=2
#include "common.h"

static int x;

static void *thread(void *_)
{
    __asm__ volatile("lock; incl %0" : "+m"(x)::"memory", "cc");
    return NULL;
}

int main(void)
{
    run(2, thread);
    assert(x == 2);
    return 0;
}
