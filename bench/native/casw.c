/* N threads: one compare-exchange, one store. */
#include "common.h"

static atomic_int x;

static void *thread(void *id)
{
    int me = (int)(intptr_t)id + 1, found = 0;

    atomic_compare_exchange_strong(&x, &found, me);
    store(x, me + 100);
    return NULL;
}

int main(void)
{
    run(N, thread);
    return 0;
}
