// EXPECT(sc -DV=0): data-race says=allocation
// EXPECT(sc -DV=1): data-race says=allocation
// EXPECT(sc -DV=2): data-race
// EXPECT(sc -DV=3): data-race
// EXPECT(sc -DV=4): data-race
// EXPECT(sc -DV=5): data-race says=allocation
// EXPECT(sc -DV=6): data-race says=allocation
// EXPECT(sc -DV=7): data-race says=allocation
// EXPECT(sc -DV=8): data-race says=allocation
// EXPECT(tso -DV=1): data-race says=allocation
// EXPECT(all -DV=0 -DRELEASE): safe
// EXPECT(all -DV=1 -DRELEASE): safe
// EXPECT(all -DV=2 -DRELEASE): safe
// EXPECT(all -DV=5 -DRELEASE): safe
// EXPECT(all -DV=7 -DRELEASE): safe
// EXPECT(sc -DV=9): safe

// A block is written by being allocated: who hands it on must do so in an order.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef RELEASE
#define STORE memory_order_release
#define LOAD  memory_order_acquire
#else
#define STORE memory_order_relaxed
#define LOAD  memory_order_relaxed
#endif

static _Atomic(char *) published;
static volatile char sink;
static char here[4096];

static char *make(void)
{
    char *block = NULL;

#if V == 0
    block = malloc(4);
#elif V == 1
    block = calloc(1, 4);
#elif V == 2
    block = realloc(malloc(4), 8);
#elif V == 3
    block = strdup("abc");
#elif V == 4
    if (posix_memalign((void **)&block, 64, 10))
        return NULL;
#elif V == 5 /* its own accesses do not hide it */
    block = calloc(1, 4);
    sink = *block;
#elif V == 6
    block = malloc(4);
    atomic_store_explicit((_Atomic int *)block, 0, memory_order_relaxed);
#elif V == 7
    block = calloc(1, 8192);
#elif V == 8
    block = malloc(4);
#elif V == 9
    block = malloc(4);
    atomic_thread_fence(memory_order_release);
#endif
    return block;
}

static void *maker(void *argument)
{
    atomic_store_explicit(&published, make(), STORE);
    return argument;
}

static void *user(void *argument)
{
    char *block = atomic_load_explicit(&published, LOAD);

    if (!block)
        return argument;
#if V == 6
    sink = (char)atomic_load_explicit((_Atomic int *)block, memory_order_relaxed);
#elif V == 7
    memcpy(here, block, sizeof here);
#elif V == 8
    *block = 1;
#elif V == 9
    atomic_thread_fence(memory_order_acquire);
    sink = *block;
#else
    sink = *block;
#endif
    return argument;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, maker, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(published);
    return 0;
}
