// A struct is copied as a whole.
// EXPECT(all): data-race
// EXPECT(all -DLOCKED): safe executions=2
#include "races.h"

struct pair {
    long a, b, c;
};

static struct pair pair, copy;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *_)
{
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
    copy = pair;
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    return _;
}

static void *second(void *_)
{
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
    pair.c = 1;
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
