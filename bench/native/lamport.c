/* Lamport's fast mutual exclusion with fences, N threads, two tries each; who would have to wait gives up. */
#include "common.h"

static atomic_int b[N], x, y, inside; /* x, y: the number of a thread plus 1, or 0 */

static void fence(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

static int enter(int me)
{
    store(b[me], 1);
    fence();
    store(x, me + 1);
    fence();
    if (load(y) != 0) {
        store(b[me], 0);
        return 0;
    }
    store(y, me + 1);
    fence();
    if (load(x) != me + 1) {
        store(b[me], 0);
        fence();
        for (int i = 0; i < N; i++)
            if (load(b[i]) != 0)
                return 0;
        if (load(y) != me + 1)
            return 0;
    }
    return 1;
}

static void *thread(void *id)
{
    int me = (int)(intptr_t)id;

    if (enter(me) || enter(me)) {
        store(inside, me);
        assert(load(inside) == me);
        fence();
        store(y, 0);
        fence();
        store(b[me], 0);
    }
    return NULL;
}

int main(void)
{
    run(N, thread);
    return 0;
}
