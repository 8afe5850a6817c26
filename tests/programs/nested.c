// Threads that create threads: 1 + 2 + 4, each with a cell of its own. Shared: the root increments before it creates two.
// OPTIONS: --no-commute=increments
// EXPECT(all): safe executions=1 threads=8
// EXPECT(sc -DSHARED -DDEPTH=1): safe executions=2 threads=4
#include "common.h"

#ifndef DEPTH
#define DEPTH 2
#endif

static atomic_int cells[8];

static void *thread(void *id)
{
    intptr_t me = (intptr_t)id;
    pthread_t left, right;

#ifdef SHARED
    if (me >= 1 << DEPTH || me == 1)
        atomic_fetch_add(&cells[0], 1);
#else
    store(cells[me], 1);
#endif
    if (me >= 1 << DEPTH)
        return NULL;
    assert(pthread_create(&left, NULL, thread, (void *)(2 * me)) == 0);
    assert(pthread_create(&right, NULL, thread, (void *)(2 * me + 1)) == 0);
    assert(pthread_join(left, NULL) == 0);
    assert(pthread_join(right, NULL) == 0);
    return NULL;
}

int main(void)
{
    pthread_t root;

    assert(pthread_create(&root, NULL, thread, (void *)1) == 0);
    assert(pthread_join(root, NULL) == 0);
    return 0;
}
