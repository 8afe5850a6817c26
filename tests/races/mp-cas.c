// A compare-exchange acquires as it says for success or for failure.
// EXPECT(all): safe
// EXPECT(all -DFAILURE=relaxed -DFAILS): data-race
// EXPECT(all -DFAILURE=acquire -DFAILS): safe
// EXPECT(all -DFAILURE=seq_cst -DFAILS): safe
// EXPECT(all -DFAILURE=relaxed): safe
// EXPECT(all -DSUCCESS=relaxed -DFAILURE=relaxed): data-race
#include "races.h"

#ifndef SUCCESS
#define SUCCESS seq_cst
#endif
#ifndef FAILURE
#define FAILURE acquire
#endif
#define GLUED(order)    memory_order_##order
#define AS_ORDER(order) GLUED(order)

static int data;
static atomic_int flag;

static void *first(void *_)
{
    data = 1;
    store(flag, 1, release);
    return _;
}

static void *second(void *_)
{
#ifdef FAILS
    int expected = 7;

    atomic_compare_exchange_strong_explicit(&flag, &expected, 2, AS_ORDER(SUCCESS), AS_ORDER(FAILURE));
    if (expected == 1)
        data = 2;
#else
    int expected = 1;

    if (atomic_compare_exchange_strong_explicit(&flag, &expected, 2, AS_ORDER(SUCCESS),
                                                AS_ORDER(FAILURE)))
        data = 2;
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
