// A thread that reads back what it has stored: whether that was flushed meanwhile does not matter, so these are the runs of store buffering.
// EXPECT: safe executions=3
// EXPECT(tso): safe executions=4
// EXPECT(pso): safe executions=4
// EXPECT(tso -DCHECK): assertion
// EXPECT(tso -DFOREIGN): safe executions=5
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y;
static int seen[2];

#define load(cell)         atomic_load_explicit(&cell, memory_order_relaxed)
#define store(cell, value) atomic_store_explicit(&cell, value, memory_order_relaxed)

#ifndef FOREIGN
static void *first(void *unused)
{
    (void)unused;
    store(x, 1);
    assert(load(x) == 1);
    assert(load(x) == 1);
    seen[0] = load(y);
    return NULL;
}

static void *second(void *unused)
{
    (void)unused;
    store(y, 1);
    assert(load(y) == 1);
    assert(load(y) == 1);
    seen[1] = load(x);
    return NULL;
}
#else // somebody else writes there, too: before, after, or after some of the three loads
static void *first(void *unused)
{
    (void)unused;
    store(x, 1);
    seen[0] = load(x) + load(x) + load(x);
    return NULL;
}

static void *second(void *unused)
{
    (void)unused;
    store(x, 2);
    return NULL;
}
#endif

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef CHECK
    assert(seen[0] + seen[1] > 0);
#endif
    return 0;
}
