// A robust mutex whose holder ends: the next gets it with EOWNERDEAD, also if it waits already; made consistent it is as new, given back
// as it is it is lost for ever.
// EXPECT(all): safe
// EXPECT(sc -DGIVEN_UP): safe
// EXPECT(sc -DWAIT): safe
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int died, plain;

static void *dies(void *_)
{
    int error = pthread_mutex_lock(&m);

    assert(error == 0 || error == EOWNERDEAD);
    return NULL; /* with the mutex */
}

static void *lives(void *_)
{
    int error = pthread_mutex_lock(&m);

    if (error == EOWNERDEAD) {
        died++;
#ifndef GIVEN_UP
        assert(pthread_mutex_consistent(&m) == 0);
        assert(pthread_mutex_consistent(&m) == EINVAL);
#endif
    } else {
        plain++;
        assert(error == 0);
    }
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == EPERM);
    return NULL;
}

#ifdef WAIT
static void *waits(void *_)
{
    int error = pthread_mutex_lock(&m);

    if (error == 0) {
        struct timespec until = {2000000000, 0};

        error = pthread_cond_timedwait(&c, &m, &until);
        assert(error == EOWNERDEAD || error == ETIMEDOUT);
    } else {
        assert(error == EOWNERDEAD);
    }
    if (error == EOWNERDEAD)
        pthread_mutex_consistent(&m);
    pthread_mutex_unlock(&m);
    return NULL;
}
#endif

int main(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attributes);
#ifdef WAIT
    run2(dies, waits);
    return 0;
#else
    run2(dies, lives);
    assert(died + plain == 1);
    int error = pthread_mutex_lock(&m);
#ifdef GIVEN_UP
    assert(error == (died ? ENOTRECOVERABLE : EOWNERDEAD));
    assert(pthread_mutex_trylock(&m) == (died ? ENOTRECOVERABLE : EBUSY));
#else
    assert(error == (died ? 0 : EOWNERDEAD));
#endif
#endif
    return 0;
}
