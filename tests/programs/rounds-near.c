// Loops that only look as if a round of theirs changed nothing: what they have counted, kept or decided shows in the end.
// EXPECT(sc -DFIRST): assertion
// EXPECT(sc -DFIRST -O2): assertion
// EXPECT(sc -DCOUNT): assertion
// EXPECT(sc -DCOUNT -O2): assertion
// EXPECT(sc -DLAST): assertion
// EXPECT(sc -DDECIDED): assertion
// EXPECT(sc -DDECIDED -O1): assertion
// EXPECT(sc -DLOCAL): assertion
// EXPECT(sc -DLOCAL -O2): assertion
// EXPECT(sc -DPOINTER): assertion
// EXPECT(sc -DWEAK): data-race
// EXPECT(sc -DWEAK -O2): data-race
// EXPECT(sc -DFOREVER): spin
// EXPECT(sc -DFOREVER -O2): spin
// EXPECT(tso -DFOREVER): spin
#include "common.h"

static atomic_int x;
static __thread int own;
static int data[4], result;

static __attribute__((noinline)) void count(int *n)
{
    ++*n;
}

static void *looks(void *_)
{
    int old = atomic_load_explicit(&x, memory_order_acquire), tries = old, last = -1;
#ifdef FIRST
    int first = old;
#endif
#ifdef DECIDED
    if (old == 0)
        tries = 5;
#endif
#ifdef FOREVER
    while (old < 2)
        old = atomic_load(&x);
#elif defined WEAK
    while (!atomic_compare_exchange_weak_explicit(&x, &old, 2 + (data[old] & 1),
                                                  memory_order_acq_rel, memory_order_relaxed))
        ;
#else
    while (!atomic_compare_exchange_weak(&x, &old, 2)) {
#ifdef COUNT
        tries++; /* may be what was read, too */
#elif defined LAST
        last = old;
#elif defined LOCAL
        own++;
#elif defined POINTER
        count(&tries);
#endif
    }
#endif
#ifdef FIRST
    result = first != old;
#elif defined COUNT || defined POINTER
    result = tries == 1;
#elif defined LAST
    result = last == 1;
#elif defined DECIDED
    result = tries == 5 && old == 1;
#elif defined LOCAL
    result = own;
#endif
    return NULL;
}

static void *writes(void *_)
{
    data[1] = 1;
    atomic_store_explicit(&x, 1, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, looks, NULL);
    pthread_create(&threads[1], NULL, writes, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(!result);
    return 0;
}
