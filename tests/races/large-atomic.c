// Atomics of sixteen bytes, which go through functions of libatomic.
// EXPECT(all): safe
// EXPECT(all -DRELAXED): data-race
// CFLAGS: -Wno-atomic-alignment
#include "races.h"

struct wide {
    long a, b;
};

static int data;
static _Atomic struct wide shared;

#ifdef RELAXED
#define ORDER relaxed
#else
#define ORDER seq_cst
#endif
#define GLUED(order)    memory_order_##order
#define AS_ORDER(order) GLUED(order)

static void *first(void *_)
{
    struct wide new = {1, 1};

    data = 1;
    atomic_store_explicit(&shared, new, AS_ORDER(ORDER));
    return _;
}

static void *second(void *_)
{
    struct wide expected = {7, 7}, new = {8, 8};

    atomic_compare_exchange_strong_explicit(&shared, &expected, new, AS_ORDER(ORDER),
                                            AS_ORDER(ORDER));
    if (expected.a == 1)
        data = 2;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
