// What threads return, and what joining says about wrong handles.
// EXPECT(all): safe executions=1
#include "common.h"
#include <errno.h>

static void *returns(void *id)
{
    return (char *)id + 1;
}

static void *exits(void *id)
{
    pthread_exit((char *)id + 2);
}

static void *self(void *_)
{
    assert(pthread_equal(pthread_self(), pthread_self()));
    return (void *)pthread_self();
}

int main(void)
{
    pthread_t a, b, c;
    void *result;

    pthread_create(&a, NULL, returns, (void *)10);
    pthread_create(&b, NULL, exits, (void *)20);
    pthread_create(&c, NULL, self, NULL);
    assert(pthread_join(a, &result) == 0 && result == (void *)11);
    assert(pthread_join(b, &result) == 0 && result == (void *)22);
    assert(pthread_join(c, &result) == 0 && (pthread_t)result == c);
    assert(pthread_join(pthread_self(), NULL) == EDEADLK);
    return 0;
}
