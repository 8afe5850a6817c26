// Two mutexes in opposite order.
// EXPECT(all): deadlock says=waits for .*held by
// EXPECT(all -DORDERED): safe executions=2
#include "common.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *t1(void *_)
{
    both(&a, &b);
    return NULL;
}

static void *t2(void *_)
{
#ifdef ORDERED
    both(&a, &b);
#else
    both(&b, &a);
#endif
    return NULL;
}

int main(void)
{
    run2(t1, t2);
    return 0;
}
