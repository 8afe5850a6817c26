// Joining is no step of its own: it belongs to the one in which it gets through, be that the joining thread's or the last one of the joined. What comes
// behind a join, in whoever's step it runs, has the same orders, races and bugs.
// EXPECT(all -DCASE=1): safe executions=2
// EXPECT(all -DCASE=2): safe executions=3
// EXPECT(all -DCASE=3): data-race
// EXPECT(all -DCASE=4): safe executions=3
// EXPECT(all -DCASE=5): deadlock
// EXPECT(sc -DCASE=6): crash at=crash
// EXPECT(all -DCASE=7): assertion at=seen
// EXPECT(all -DCASE=8): safe executions=2
// EXPECT(sc -DCASE=9): safe
// EXPECT(sc -DCASE=10): misuse
#define _GNU_SOURCE
#include "common.h"

static atomic_int x, y;
static int plain;
static pthread_t threads[4];

static void start(int i, void *(*function)(void *))
{
    assert(pthread_create(&threads[i], NULL, function, NULL) == 0);
}

static void join(int i)
{
    assert(pthread_join(threads[i], NULL) == 0);
}

static void *counts(void *unused)
{
    assert(atomic_fetch_add(&x, 1) < 4);
    return unused;
}

static void *writes(void *unused)
{
    plain++;
    store(y, 1);
    return unused;
}

static void *nothing(void *unused)
{
    return unused;
}

#if CASE == 2 || CASE == 8 /* joins, goes on, and ends; all of it may be in a step of the first */
static void *middle(void *unused)
{
    start(1, counts);
    join(1);
#if CASE == 8
    start(2, nothing);
    join(2);
#else
    start(2, counts);
    join(2);
#endif
    return unused;
}
#elif CASE == 3 /* knows of the thread that it has joined, and of no other */
static void *middle(void *unused)
{
    join(1);
    plain++;
    return unused;
}
#elif CASE == 5 /* each waits for the other one's end */
static void *middle(void *unused)
{
    while (atomic_load(&y) == 0)
        ;
    join(1);
    return unused;
}
static void *other(void *unused)
{
    join(0);
    return unused;
}
#elif CASE == 9
static void *middle(void *unused)
{
    pthread_exit(pthread_tryjoin_np(threads[1], NULL) ? threads : unused);
}
#elif CASE == 10 /* both join the same thread */
static void *middle(void *unused)
{
    pthread_join(threads[1], NULL);
    return unused;
}
#endif

int main(void)
{
#if CASE == 1
    start(0, counts);
    start(1, counts);
    start(2, nothing);
    join(2);
    join(1);
    join(0);
    assert(x == 2);
#elif CASE == 2 || CASE == 8
    start(0, middle);
    start(3, counts);
    join(0);
    join(3);
    if (CASE == 8)
        return x != 2;
    assert(x == 3);
#elif CASE == 3
    start(1, writes);
    start(0, middle);
    start(2, writes);
    join(0);
    join(2);
#elif CASE == 4 /* what is done behind a join comes after what was joined, and before or after the rest */
    start(0, counts);
    start(1, counts);
    join(0);
    atomic_fetch_add(&x, 1) > 9 ? abort() : (void)0;
    join(1);
#elif CASE == 5
    start(0, middle);
    start(1, other);
    atomic_store(&y, 1);
    pthread_exit(NULL);
#elif CASE == 6
    start(0, counts);
    join(0);
    *(volatile int *)8 = 1; /* crash */
#elif CASE == 7
    start(0, writes);
    start(1, counts);
    join(0);
    assert(x == 1); /* seen */
    join(1);
#else
    start(1, counts);
    start(0, middle);
    join(0);
    if (CASE == 10)
        join(1);
#endif
    return 0;
}
