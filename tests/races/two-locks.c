// Each thread holds a lock, but not the same one.
// EXPECT(all): data-race
// EXPECT(all -DSAME): safe executions=2
#include "races.h"

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;

#ifdef SAME
#define OTHER m
#else
#define OTHER n
#endif

static void *first(void *_)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return _;
}

static void *second(void *_)
{
    pthread_mutex_lock(&OTHER);
    x++;
    pthread_mutex_unlock(&OTHER);
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
