// Message passing: the store must release, and the load acquire.
// EXPECT(all): safe executions=2
// EXPECT(all -DSTORE=seq_cst -DLOAD=seq_cst): safe executions=2
// EXPECT(all -DSTORE=seq_cst): safe executions=2
// EXPECT(all -DLOAD=seq_cst): safe executions=2
// EXPECT(all -DSTORE=relaxed): data-race
// EXPECT(all -DLOAD=relaxed): data-race
// EXPECT(all -DSTORE=relaxed -DLOAD=relaxed): data-race
// EXPECT(all -DSTORE=relaxed -DLOAD=seq_cst): data-race
#include "races.h"

#ifndef STORE
#define STORE release
#endif
#ifndef LOAD
#define LOAD acquire
#endif
#define SET(order) store(flag, 1, order)
#define GET(order) load(flag, order)

static int data;
static atomic_int flag;

static void *first(void *_)
{
    data = 1;
    SET(STORE);
    return _;
}

static void *second(void *_)
{
    if (GET(LOAD))
        assert(data == 1);
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
