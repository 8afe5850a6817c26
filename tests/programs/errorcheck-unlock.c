// An errorcheck mutex tells its user about a wrong unlock: EPERM, and no more. That is what it is for.
// EXPECT: safe
#include "common.h"
#include <errno.h>

static pthread_mutex_t m;

static void *thread(void *_)
{
    assert(pthread_mutex_unlock(&m) == EPERM);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attributes);
    assert(pthread_mutex_unlock(&m) == EPERM);
    pthread_mutex_lock(&m);
    run(1, thread);
    assert(pthread_mutex_unlock(&m) == 0);
    return 0;
}
