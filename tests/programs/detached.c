// Detached threads: main does not wait for them by joining, but with a condition.
// EXPECT: safe
// EXPECT(sc -DNO_WAIT): safe
// EXPECT(sc -DNO_WAIT -DLATE): assertion at=late
#include "common.h"
#include <errno.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done;

static void *thread(void *_)
{
    pthread_mutex_lock(&m);
    done++;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t a, b;

    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    assert(pthread_create(&a, &attributes, thread, NULL) == 0);
    assert(pthread_create(&b, NULL, thread, NULL) == 0);
    assert(pthread_detach(b) == 0);
    pthread_attr_destroy(&attributes);
#ifndef NO_WAIT
    pthread_mutex_lock(&m);
    while (done < 2)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
#endif
#ifdef LATE
    pthread_mutex_lock(&m);
    assert(done == 0); /* late */
    pthread_mutex_unlock(&m);
#endif
    return 0;
}
