// Two readers must agree on the order of two independent writes, under every model here: stores reach all at once.
// EXPECT(tso,pso): safe
// EXPECT: safe executions=15
#include "common.h"

static atomic_int x, y, r[4];

static void *thread(void *id)
{
    switch ((intptr_t)id) {
    case 0: store(x, 1); break;
    case 1: store(y, 1); break;
    case 2: r[0] = load(x); r[1] = load(y); break;
    case 3: r[2] = load(y); r[3] = load(x); break;
    }
    return NULL;
}

int main(void)
{
    run(4, thread);
    assert(!(r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0));
    return 0;
}
