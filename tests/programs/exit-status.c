// With --exit-is-bug a status other than 0 is a bug; it depends on who was first.
// OPTIONS: --exit-is-bug
// EXPECT: bug
// EXPECT(sc -DRIGHT): safe
#include "common.h"

static atomic_int x;

static void *thread(void *_)
{
    store(x, 1);
    return NULL;
}

int main(void)
{
    pthread_t t;
    int seen;

    pthread_create(&t, NULL, thread, NULL);
#ifdef RIGHT
    pthread_join(t, NULL);
    seen = load(x);
#else
    seen = load(x);
    pthread_join(t, NULL);
#endif
    return !seen;
}
