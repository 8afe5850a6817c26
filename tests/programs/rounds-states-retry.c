// A compare-exchange that waits until it succeeds, in a search that compares states: what may follow a known state may have to wait there, so that it races with more
// than the newest event. The end that is asserted not to be needs the one before.
// OPTIONS: --stateful=exact
// EXPECT(sc): assertion at=here
// EXPECT(sc -O2): assertion at=here
// EXPECT(tso): assertion at=here
#include "common.h"

static atomic_int x;
static int first, found = 1;

static void *retries(void *_)
{
    int old = atomic_load(&x);

    while (!atomic_compare_exchange_strong(&x, &old, (old + 1) & 3))
        ;
    first = old;
    return NULL;
}

static void *adds(void *_)
{
    x += 2;
    return NULL;
}

static void *tries(void *_)
{
    int old = atomic_load(&x), got = 0;

    for (int i = 0; i < 2 && !got; i++)
        got = atomic_compare_exchange_strong(&x, &old, (old + 1) & 3);
    found = got;
    return NULL;
}

int main(void)
{
    void *(*const all[])(void *) = {retries, adds, tries};
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, all[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    raddle_assert(first != 0 || found || x != 3); /* here */
    return 0;
}
