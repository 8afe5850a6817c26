// T1 reads x; T2 reads x and creates T3, which writes x: T1's read may come before or after that write, T2's only before.
// EXPECT(all): safe executions=2
// EXPECT(sc -DSEEN): assertion at=seen
#include "common.h"

static atomic_int x;

static void *writer(void *_)
{
    store(x, 1);
    return NULL;
}

static void *reader(void *_)
{
    int value = load(x);

#ifdef SEEN
    assert(value == 0); /* seen */
#endif
    return (void *)(intptr_t)value;
}

static void *creator(void *_)
{
    pthread_t t3;
    int value = load(x);

    assert(value == 0);
    pthread_create(&t3, NULL, writer, NULL);
    pthread_join(t3, NULL);
    return NULL;
}

int main(void)
{
    run2(reader, creator);
    return 0;
}
