// Message passing in which the data is read only if the flag is set.
// EXPECT(sc,tso): safe executions=2
// EXPECT(pso): safe executions=3
// EXPECT(sc,tso -O1): safe executions=2
// EXPECT(pso -O1): safe executions=3
// EXPECT(sc,tso -O2): safe executions=2
// EXPECT(pso -O2): safe executions=3
#include "common.h"

static atomic_int data, flag;

static void *writer(void *_)
{
    store(data, 1);
    store(flag, 1);
    return NULL;
}

static void *reader(void *_)
{
    return load(flag) ? (void *)(intptr_t)load(data) : NULL;
}

int main(void)
{
    run2(writer, reader);
    return 0;
}
