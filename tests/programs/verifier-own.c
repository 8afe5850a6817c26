// SV-COMP programs define reach_error themselves.
// EXPECT: assertion at=error
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

void reach_error(void)
{
    assert(0); /* error */
}

void __VERIFIER_assert(int condition)
{
    if (!condition)
        reach_error();
}

static void *thread(void *_)
{
    x++;
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, thread, 0);
    __VERIFIER_assert(x == 0);
    pthread_join(t, 0);
    return 0;
}
