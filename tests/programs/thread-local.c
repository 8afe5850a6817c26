// Thread-local variables are nobody else's business: one execution, and each thread starts with the initial value.
// EXPECT: safe executions=1
// EXPECT(sc -O1): safe executions=1
// EXPECT(sc -O2): safe executions=1
// EXPECT(sc -O2 -fPIC): safe executions=1
// EXPECT(tso,pso -DN=1 -DROUNDS=1): safe
#include "common.h"

#ifndef N
#define N      4
#define ROUNDS 3
#endif

static _Thread_local int counter = 5;
static __thread char name[16] = "none";
_Thread_local long zero;

static void *thread(void *id)
{
    assert(counter == 5 && name[0] == 'n' && zero == 0);
    for (int i = 0; i < ROUNDS; i++) {
        counter += (int)(intptr_t)id;
        zero++;
    }
    name[0] = (char)('a' + (intptr_t)id);
    assert(counter == 5 + ROUNDS * (int)(intptr_t)id && name[0] == 'a' + (char)(intptr_t)id && zero == ROUNDS);
    return NULL;
}

int main(void)
{
    counter = 9;
    run(N, thread);
    assert(counter == 9 && name[0] == 'n' && zero == 0);
    return 0;
}
