// Read-modify-writes whose results nobody uses commute, and a race may hide in the order in which they happened to come. Each case once with a
// race and once (SAFE) where somebody looks at a result, or where something else makes the order the only one: then the race must not be told.
// EXPECT(all -DCASE=1): data-race at=reads
// EXPECT(all -DCASE=1 -DSAFE): safe
// EXPECT(all -DCASE=2): data-race at=reads
// EXPECT(all -DCASE=2 -DSAFE): safe
// EXPECT(all -DCASE=3): data-race at=reads
// EXPECT(all -DCASE=3 -DSAFE): safe
// EXPECT(sc -DCASE=4): data-race at=reads
// EXPECT(sc -DCASE=4 -DSAFE): safe
// EXPECT(sc -DCASE=5): data-race at=reads
// EXPECT(sc -DCASE=5 -DSAFE): safe
// EXPECT(all -DCASE=6): data-race at=reads
// EXPECT(all -DCASE=6 -DSAFE): safe
// EXPECT(sc -DCASE=7): data-race at=reads
// EXPECT(sc -DCASE=7 -DSAFE): safe
// EXPECT(sc -DCASE=8): data-race at=reads
// EXPECT(sc -DCASE=8 -DSAFE): safe
// EXPECT(sc -DCASE=9): data-race at=reads
// EXPECT(sc -DCASE=9 -DSAFE): safe
// EXPECT(sc -DCASE=10): data-race at=reads
// EXPECT(sc -DCASE=10 -DSAFE): safe
// EXPECT(sc -DCASE=11): bug
// EXPECT(sc -DCASE=11 -DSAFE): safe
// EXPECT(sc -DCASE=12 -O1): data-race at=reads
// EXPECT(sc -DCASE=12 -DSAFE -O1): safe

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release

static atomic_int x, y, f, g, h;
static int data;
static int *block;

static void write_data(void)
{
    data = 1;
}

static int read_data(void)
{
    return data; /* reads */
}

#if CASE == 1 /* a release and an acquire */
static void first(void)
{
    write_data();
    atomic_fetch_add_explicit(&x, 1, REL);
}
static void second(void)
{
#ifdef SAFE
    if (atomic_fetch_add_explicit(&x, 1, ACQ) == 1)
        read_data();
#else
    atomic_fetch_add_explicit(&x, 1, ACQ);
    read_data();
#endif
}
static void third(void) {}

#elif CASE == 2 /* the operators, all of them sequentially consistent */
static void first(void)
{
    write_data();
    x++;
}
static void second(void)
{
#ifdef SAFE
    if (x-- == 1)
        read_data();
#else
    x--;
    read_data();
#endif
}
static void third(void) {}

#elif CASE == 3 /* fences beside relaxed ones */
static void first(void)
{
    write_data();
    atomic_thread_fence(REL);
    atomic_fetch_or_explicit(&x, 1, RLX);
}
static void second(void)
{
#ifdef SAFE
    if (!(atomic_fetch_or_explicit(&x, 2, RLX) & 1))
        return;
#else
    atomic_fetch_or_explicit(&x, 2, RLX);
#endif
    atomic_thread_fence(ACQ);
    read_data();
}
static void third(void) {}

#elif CASE == 4 /* a look at something relaxed makes the order the only one: the acquire is what keeps them apart, if it is one */
static void first(void)
{
    write_data();
    atomic_fetch_add_explicit(&x, 1, REL);
    atomic_store_explicit(&y, 1, RLX);
}
static void second(void)
{
    if (atomic_load_explicit(&y, RLX) == 0)
        return;
#ifdef SAFE
    atomic_fetch_add_explicit(&x, 1, ACQ);
#else
    atomic_fetch_add_explicit(&x, 1, RLX);
#endif
    read_data();
}
static void third(void) {}

#elif CASE == 5 /* the same with a fence behind a relaxed one, or before it */
static void first(void)
{
    write_data();
    atomic_fetch_xor_explicit(&x, 1, REL);
    atomic_store_explicit(&y, 1, RLX);
}
static void second(void)
{
    if (atomic_load_explicit(&y, RLX) == 0)
        return;
#ifdef SAFE
    atomic_fetch_xor_explicit(&x, 2, RLX);
    atomic_thread_fence(ACQ);
#else
    atomic_thread_fence(ACQ);
    atomic_fetch_xor_explicit(&x, 2, RLX);
#endif
    read_data();
}
static void third(void) {}

#elif CASE == 6 /* they hand on what others have released; a store does not */
static void first(void)
{
    write_data();
    atomic_store_explicit(&x, 1, REL);
}
static void second(void)
{
#ifdef SAFE
    atomic_fetch_add_explicit(&x, 1, RLX);
#else
    atomic_store_explicit(&x, atomic_load_explicit(&x, RLX) + 1, RLX);
#endif
}
static void third(void)
{
    if (atomic_load_explicit(&x, ACQ) == 2)
        read_data();
}

#elif CASE == 7 /* who has seen both has seen this one; who has seen one may have seen the other one */
static void first(void)
{
    write_data();
    atomic_fetch_add_explicit(&x, 1, REL);
}
static void second(void)
{
    atomic_fetch_add_explicit(&x, 1, RLX);
}
static void third(void)
{
#ifdef SAFE
    if (atomic_load_explicit(&x, ACQ) == 2)
#else
    if (atomic_load_explicit(&x, ACQ) >= 1)
#endif
        read_data();
}

#elif CASE == 8 /* over a third thread and a second cell */
static void first(void)
{
    write_data();
    x++;
}
static void second(void)
{
#ifdef SAFE
    if (x++ == 0)
        return;
#else
    x++;
#endif
    y++;
}
static void third(void)
{
#ifdef SAFE
    if (y++ == 0)
        return;
#else
    y++;
#endif
    read_data();
}

#elif CASE == 9 /* two pairs of which either one or the other comes in the order that keeps the accesses apart */
static void *helper(void *unused)
{
    atomic_fetch_add_explicit(&y, 1, REL);
#ifdef SAFE
    atomic_store_explicit(&g, 1, RLX);
#endif
    return unused;
}
static void first(void)
{
    pthread_t thread;

    write_data();
    pthread_create(&thread, NULL, helper, NULL);
    atomic_fetch_add_explicit(&x, 1, REL);
    atomic_store_explicit(&f, 1, RLX);
    pthread_join(thread, NULL);
}
static void second(void)
{
    if (atomic_load_explicit(&f, RLX) == 0)
        return;
    atomic_fetch_add_explicit(&y, 1, ACQ);
    atomic_store_explicit(&h, 1, REL);
}
static void third(void)
{
#ifdef SAFE
    if (atomic_load_explicit(&g, RLX) == 0)
        return;
#endif
    atomic_fetch_add_explicit(&x, 1, ACQ);
    if (atomic_load_explicit(&h, ACQ))
        read_data();
}

#elif CASE == 10 /* builtins of GCC; who looks on one side is enough */
static int count;
static void first(void)
{
    write_data();
    __sync_fetch_and_add(&count, 1);
}
static void second(void)
{
#ifdef SAFE
    if (__sync_add_and_fetch(&count, 1) == 1)
        return;
#else
    __sync_add_and_fetch(&count, 1);
#endif
    read_data();
}
static void third(void) {}

#elif CASE == 11 /* the last one to look frees it */
static void leave(void)
{
#ifdef SAFE
    if (atomic_fetch_sub(&x, 1) == -1)
        free(block);
#else
    atomic_fetch_sub(&x, 1);
    if (atomic_load_explicit(&x, RLX) == -2)
        free(block);
#endif
}
static void first(void)
{
    block[0] = 1;
    leave();
}
static void second(void)
{
    block[1] = 1;
    leave();
}
static void third(void) {}

#else /* in assembly */
static int count;
static void first(void)
{
    write_data();
    __asm__ volatile("lock; addl %1, %0" : "+m"(count) : "r"(1) : "memory", "cc");
}
static void second(void)
{
    int old = 1;

#ifdef SAFE
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(old), "+m"(count) : : "memory", "cc");
    if (old == 0)
        return;
#else
    __asm__ volatile("lock; addl %1, %0" : "+m"(count) : "r"(old) : "memory", "cc");
#endif
    read_data();
}
static void third(void) {}
#endif

static void *run(void *function)
{
    (*(void (**)(void))function)();
    return NULL;
}

int main(void)
{
    static void (*functions[])(void) = {first, second, third};
    pthread_t threads[3];

    block = calloc(2, sizeof *block);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, &functions[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
