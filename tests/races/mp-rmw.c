// Message passing by read-modify-writes of every order.
// EXPECT(all): safe
// EXPECT(all -DORDER=seq_cst): safe
// EXPECT(all -DORDER=relaxed): data-race
// EXPECT(all -DORDER=acquire): data-race
// EXPECT(all -DORDER=release): data-race
#include "races.h"

#ifndef ORDER
#define ORDER acq_rel
#endif
#define GLUED(order)  memory_order_##order
#define AS_ORDER(order) GLUED(order)

static int data;
static atomic_int flag;

static void *first(void *_)
{
    data = 1;
    atomic_fetch_add_explicit(&flag, 1, AS_ORDER(ORDER));
    return _;
}

static void *second(void *_)
{
    if (atomic_fetch_add_explicit(&flag, 2, AS_ORDER(ORDER)) == 1)
        data = 2;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
