// A volatile flag is a relaxed atomic one: message passing as in mp-dep.c.
// EXPECT(sc,tso): safe executions=2
// EXPECT(sc,tso -O2): safe executions=2
// EXPECT(pso): assertion at=stale
#include "common.h"

static volatile int data, flag;

static void *writer(void *_)
{
    data = 1;
    flag = 1;
    return NULL;
}

static void *reader(void *_)
{
    if (flag)
        assert(data == 1); /* stale */
    return NULL;
}

int main(void)
{
    run2(writer, reader);
    return 0;
}
