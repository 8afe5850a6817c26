// Loops that wait on a condition with a time, and look again each time: timing out again makes no difference until somebody
// has changed something. Two of them do not keep each other awake.
// EXPECT(sc): safe
// EXPECT(sc -DTWO): safe
// EXPECT(sc -DNO_SIGNAL): safe
// EXPECT(sc -DTWO -DNO_SIGNAL -O1): safe
// EXPECT(sc -DNEVER): spin
// EXPECT(sc -DNEVER -DTWO): spin
// EXPECT(sc -DTIMED_OUT): assertion at=out
// EXPECT(sc -DNO_SIGNAL -DTIMED_OUT): assertion at=out
#include "common.h"
#include <errno.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done, looked;
static const struct timespec until = {1000000001, 0};

static void *polls(void *_)
{
    int error = 0;

    pthread_mutex_lock(&m);
    while (!done)
        error = pthread_cond_timedwait(&c, &m, &until);
#ifdef TIMED_OUT
    assert(error == 0); /* out */
#endif
    looked += error == 0;
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *ends(void *_)
{
    pthread_mutex_lock(&m);
#ifndef NEVER
    done = 1;
#endif
#ifndef NO_SIGNAL
    pthread_cond_broadcast(&c);
#endif
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b, e;

    pthread_create(&a, NULL, polls, NULL);
#ifdef TWO
    pthread_create(&b, NULL, polls, NULL);
#endif
    pthread_create(&e, NULL, ends, NULL);
    pthread_join(a, NULL);
#ifdef TWO
    pthread_join(b, NULL);
#endif
    pthread_join(e, NULL);
    (void)b;
    return 0;
}
