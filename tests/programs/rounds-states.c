// A loop that waits for ever, and reads plain memory, in a search that compares states: what the runtime leaves on the stack must not keep it from being seen.
// OPTIONS: --stateful=exact
// EXPECT(sc): spin
// EXPECT(sc -O1): spin
// EXPECT(tso -O2): spin
#include "common.h"

static atomic_int x, y;
static int *_Atomic block;
static int data, result;

static void *waits(void *_)
{
    int last = 0;

    while (atomic_load(&x) == 0 && atomic_load_explicit(&y, memory_order_relaxed) == 0)
        last = data & 3;
    result = last;
    return NULL;
}

static void *ends(void *_)
{
    int *p = malloc(sizeof *p);

    *p = 3;
    free(atomic_exchange(&block, p));
    return atomic_load(&y) ? p : NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, waits, NULL);
    pthread_create(&threads[1], NULL, ends, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
