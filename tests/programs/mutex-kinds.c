// Recursive and errorcheck mutexes, trylock, and what they return. Nothing conflicts but the one shared mutex.
// EXPECT(all): safe
// EXPECT(sc -O2): safe
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>

static pthread_mutex_t recursive, checked, normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t statically = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int count;

static void *thread(void *_)
{
    assert(pthread_mutex_lock(&recursive) == 0);
    assert(pthread_mutex_lock(&recursive) == 0);
    assert(pthread_mutex_trylock(&recursive) == 0);
    count++;
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    count++;
    assert(pthread_mutex_unlock(&recursive) == 0);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attributes;

    assert(pthread_mutexattr_init(&attributes) == 0);
    assert(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
    assert(pthread_mutex_init(&recursive, &attributes) == 0);
    assert(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) == 0);
    assert(pthread_mutex_init(&checked, &attributes) == 0);
    assert(pthread_mutexattr_destroy(&attributes) == 0);
    run(2, thread);
    assert(count == 4);
    assert(pthread_mutex_lock(&checked) == 0);
    assert(pthread_mutex_lock(&checked) == EDEADLK);
    assert(pthread_mutex_trylock(&checked) == EBUSY);
    assert(pthread_mutex_unlock(&checked) == 0);
    assert(pthread_mutex_trylock(&normal) == 0);
    assert(pthread_mutex_trylock(&normal) == EBUSY);
    assert(pthread_mutex_unlock(&normal) == 0);
    assert(pthread_mutex_lock(&statically) == 0);
    assert(pthread_mutex_lock(&statically) == 0);
    assert(pthread_mutex_unlock(&statically) == 0);
    assert(pthread_mutex_unlock(&statically) == 0);
    assert(pthread_mutex_destroy(&recursive) == 0);
    return 0;
}
