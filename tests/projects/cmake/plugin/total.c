#include "total.h"

#include <stdatomic.h>

static atomic_int total;

void total_add(int n)
{
    atomic_fetch_add(&total, n);
}

void total_add_racy(int n)
{
    int old = atomic_load_explicit(&total, memory_order_relaxed);

    atomic_store_explicit(&total, old + n, memory_order_relaxed);
}

int total_get(void)
{
    return atomic_load(&total);
}
