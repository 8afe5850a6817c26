// The write outside the lock comes before the other's read in one order of the lock only: the other order must be tried.
// EXPECT(all): data-race
#include "races.h"

static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *_)
{
    x = 1;
    pthread_mutex_lock(&m);
    y++;
    pthread_mutex_unlock(&m);
    return _;
}

static void *second(void *_)
{
    pthread_mutex_lock(&m);
    y++;
    pthread_mutex_unlock(&m);
    x = 2;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
