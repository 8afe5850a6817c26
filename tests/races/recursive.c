// The inner unlock of a recursive mutex lets nobody in.
// EXPECT(all): safe
// EXPECT(all -DAFTER): data-race
#include "races.h"

static int x;
static pthread_mutex_t m;

static void *work(void *_)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    x++;
    pthread_mutex_unlock(&m);
#ifdef AFTER
    x++;
#endif
    return _;
}

int main(void)
{
    pthread_mutexattr_t recursive;

    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &recursive);
    run2(work, work);
    return 0;
}
