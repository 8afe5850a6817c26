/* What the programs share: short names for relaxed accesses, and starting and joining threads.
 * With -DFENCED each store is followed by a full fence. */
#include <assert.h>
#include <pthread.h>
#include <raddle.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define load(x) atomic_load_explicit(&(x), memory_order_relaxed)
#ifdef FENCED
#define store(x, v)                                                                                \
    (atomic_store_explicit(&(x), (v), memory_order_relaxed), atomic_thread_fence(memory_order_seq_cst))
#else
#define store(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)
#endif

/* Starts n threads, thread i with i as its argument, and waits for all of them. */
static inline void run(int n, void *(*start)(void *))
{
    pthread_t threads[128];

    for (int i = 0; i < n; i++)
        assert(pthread_create(&threads[i], NULL, start, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < n; i++)
        assert(pthread_join(threads[i], NULL) == 0);
}

/* The same for two threads with code of their own. */
static inline void run2(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t a, b;

    assert(pthread_create(&a, NULL, first, NULL) == 0);
    assert(pthread_create(&b, NULL, second, NULL) == 0);
    assert(pthread_join(a, NULL) == 0);
    assert(pthread_join(b, NULL) == 0);
}
